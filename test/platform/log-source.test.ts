import {expect, test} from 'vitest';
import type {LogSource} from '../../src/contract/log-cursor.ts';
import {AppError} from '../../src/core/error.ts';
import {originOf} from '../../src/core/origin.ts';
import {renewedLogSource} from '../../src/platform/log-source.ts';

const server = originOf('http://127.0.0.1:8700');
const refused = new AppError('auth', 'The login is not accepted.', {logInTo: server});
const never = new AbortController().signal;
const says =
	(text: string): LogSource =>
	async () => ({kind: 'window', text});
const refuses: LogSource = () => Promise.reject(refused);

function sourceWith(stored: {readonly server: typeof server; readonly source: LogSource} | undefined) {
	let opened = 0;
	const platform = {
		async open() {
			opened++;
			if (!stored) {
				throw new AppError('auth', 'You are not logged in.');
			}

			return {server: stored.server, logOf: () => stored.source};
		},
	};
	const source = renewedLogSource('id', {server, logOf: () => refuses}, platform);
	return {ask: () => source({}, never), opened: () => opened};
}

test('a source uses a renewed login from then on', async () => {
	const {ask, opened} = sourceWith({server, source: says('one')});
	expect([await ask(), await ask(), opened()]).toEqual([
		{kind: 'window', text: 'one'},
		{kind: 'window', text: 'one'},
		1,
	]);
});

test('a source does not use the login of another server [6]', async () => {
	for (const stored of [{server: originOf('https://b.test'), source: says('b')}, undefined]) {
		await expect(sourceWith(stored).ask()).rejects.toBe(refused);
	}
});

test('a source throws if the renewed login is rejected, too', async () => {
	await expect(sourceWith({server, source: refuses}).ask()).rejects.toBe(refused);
});

test('other failures do not look for a renewed login', async () => {
	let opened = 0;
	const down = new AppError('network', 'Nothing listens there.');
	const open = async () => {
		opened++;
		throw down;
	};
	const source = renewedLogSource('id', {server, logOf: () => () => Promise.reject(down)}, {open});
	await expect(source({}, never)).rejects.toBe(down);
	expect(opened).toBe(0);
});
