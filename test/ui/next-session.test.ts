import {expect, test} from 'vitest';
import {AppError} from '../../src/core/error.ts';
import {testProgram} from './program.ts';
import {runApp} from './running-app.ts';

test('a session that can’t be shown is said below the prompt, and the app goes on', async () => {
	const fault = 'The session can’t be closed: the disk is full.';
	const {type, waitFor, store} = runApp({
		async compose(store) {
			const {program} = testProgram({store});
			const next = () => Promise.reject(new AppError('failed', fault));
			return {...program, session: {...program.session, background: {...program.session.background, next}}};
		},
	});
	await waitFor('Demo model');
	type('\u0018b');
	await waitFor(fault);
	type('on');
	await waitFor('❯ on');
	expect(store.getState().toast).toBe('');
});
