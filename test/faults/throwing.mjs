// Throws in the middle of a program at SIGUSR2, or leaves a rejection that nobody catches where THROWING=reject.
import process from 'node:process';

process.on('SIGUSR2', () => {
	if (process.env.THROWING === 'reject') {
		void Promise.reject(new Error('injected'));
	} else {
		throw new Error('injected');
	}
});
