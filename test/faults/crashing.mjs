// Breaks a program at the moment it sends a credential: throws an error that holds it, as a library may. With CRASH=reject, nobody
// catches a promise instead.
import {subscribe} from 'node:diagnostics_channel';
import process from 'node:process';

subscribe('undici:client:sendHeaders', ({headers}) => {
	const error = Object.assign(new TypeError(`Invalid header: ${headers}`), {headers, cause: new Error(headers)});
	if (process.env.CRASH === 'reject') {
		void Promise.reject(error);
	} else {
		// Both before the first one is printed.
		process.nextTick(() => {
			throw error;
		});
		process.nextTick(() => {
			throw error;
		});
	}
});
