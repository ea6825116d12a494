import {expect, test} from 'vitest';
import {harness} from './session-harness.ts';

const ownTitle = '\u001b]2;working\u001b\\';
const oldTitle = '\u001b]2;\u001b\\\u001b[23;2t';
const progress = '\u001b]9;4;3;0\u001b\\';
const noProgress = '\u001b]9;4;0;0\u001b\\';

test('a title is pushed once, then replaced; the old one comes back at the end, once [5]', () => {
	const {session, output} = harness();
	session.start();
	output();
	session.show('title', ownTitle);
	session.show('title', '\u001b]2;idle\u001b\\');
	expect(output()).toBe(`\u001b[22;2t${ownTitle}\u001b]2;idle\u001b\\`);
	session.end();
	session.end();
	expect(output()).toBe(`${oldTitle}\u001b[0m`);
	session.show('title', ownTitle);
	session.signal('\u0007');
	session.enable('focus-reports');
	expect(output()).toBe('');
});

test.each(['exit', 'uncaughtExceptionMonitor', 'SIGTERM', 'SIGHUP'])(
	'%s ends title, progress and focus reports [5]',
	event => {
		const {session, hooks, output} = harness();
		session.start();
		session.show('title', ownTitle);
		session.enable('focus-reports');
		session.show('progress', progress);
		output();
		hooks.emit(event);
		expect(output()).toBe(`${noProgress}\u001b[?1004l${oldTitle}\u001b[0m`);
	},
);

test('Ctrl-Z gives the shell its title back, and ours returns with the latest text [5]', () => {
	const {session, hooks, output} = harness();
	session.start();
	session.show('title', ownTitle);
	session.show('progress', progress);
	session.disable('progress');
	session.show('title', '\u001b]2;idle\u001b\\');
	session.enable('focus-reports');
	output();
	session.suspend();
	expect(output()).toBe(`\u001b[?1004l${oldTitle}\u001b[0m`);
	hooks.emit('SIGCONT');
	expect(output()).toBe('\u001b[22;2t\u001b[?1004h\u001b]2;idle\u001b\\');
	session.end();
});

test('nothing is written while a program has the terminal; what was shown meanwhile follows', async () => {
	const {session, output} = harness();
	session.start();
	session.show('title', ownTitle);
	await session.lend(async () => {
		output();
		session.signal('\u0007');
		session.show('title', '\u001b]2;idle\u001b\\');
		expect(output()).toBe('');
	});
	expect(output()).toBe('\u001b[22;2t\u001b]2;idle\u001b\\');
	session.end();
});
