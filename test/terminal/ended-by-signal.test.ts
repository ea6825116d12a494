import {EventEmitter} from 'node:events';
import {expect, test, vi} from 'vitest';
import {createTerminalSession} from '../../src/terminal/terminal-session.ts';
import {deferred} from '../../src/ui/opening/turns.ts';

test('a signal ends us once everything is saved, and after five seconds at the latest [17]', async () => {
	vi.useFakeTimers();
	try {
		const ended = async (onEnd: () => Promise<void>, milliseconds: number) => {
			const killed: NodeJS.Signals[] = [];
			const hooks = Object.assign(new EventEmitter(), {
				pid: 42,
				kill: (_pid: number, signal: NodeJS.Signals) => killed.push(signal),
			});
			const session = createTerminalSession({stdout: {write: () => true}, process: hooks, onEnd});
			session.start();
			hooks.emit('SIGHUP');
			const atOnce = killed.length;
			await vi.advanceTimersByTimeAsync(milliseconds);
			return [atOnce, killed.length];
		};
		const later = (milliseconds: number) => new Promise<void>(resolve => setTimeout(resolve, milliseconds));

		expect(await ended(() => later(20), 19)).toEqual([0, 0]);
		expect(await ended(() => later(20), 6000)).toEqual([0, 1]);
		expect(await ended(() => Promise.reject(new Error('disk full')), 0)).toEqual([0, 1]);
		expect(await ended(() => new Promise(() => undefined), 4999)).toEqual([0, 0]);
		expect(await ended(() => new Promise(() => undefined), 5000)).toEqual([0, 1]);
	} finally {
		vi.useRealTimers();
	}
});

test.each(['SIGTERM', 'SIGHUP'] as const)(
	'[5] at %s the terminal is read until it has answered what it was asked',
	async signal => {
		const did: string[] = [];
		const hooks = Object.assign(new EventEmitter(), {pid: 42, kill: () => did.push('kill')});
		const answer = deferred();
		const session = createTerminalSession({
			stdout: {isTTY: true, write: text => did.push(text)},
			process: hooks,
			onSuspend: () => did.push('stop reading'),
			answered: () => answer.promise,
		});
		session.start();
		session.enable('hidden-cursor');
		did.length = 0;
		hooks.emit(signal);
		expect(did).toEqual(['\u001b[?25h\u001b[0m']);
		answer.resolve();
		await expect.poll(() => did.length, {interval: 5}).toBeGreaterThan(2);
		expect(did.slice(1)).toEqual(['stop reading', 'kill']);
	},
);
