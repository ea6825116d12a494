import {expect, test} from 'vitest';
import type {RunStarter} from '../../src/agent/history.ts';
import {deferred} from '../../src/ui/opening/turns.ts';
import {approvalsOf, call, echo, finish, type Script, text} from '../agent/scripted.ts';
import {scripted} from '../store/scripted-conversation.ts';

const turns = () => new Promise(resolve => setTimeout(resolve, 5));

/** A conversation whose model waits in its first turn, and which knows who started what it works on. */
function watched() {
	const {promise: passed, resolve: pass} = deferred();
	const first: Script = [call('echo', {word: 'a'}), passed, finish('tool-calls')];
	let startedBy: (() => RunStarter) | undefined;
	const approvals = approvalsOf(async () => ({allowed: false}));
	const here = scripted([first, [text('Two.'), finish('stop')]], {
		loadTools: async () => [echo],
		createApprovals: () => ({
			startRun(given) {
				startedBy = given;
				return approvals.startRun();
			},
		}),
	});
	return {...here, pass, startedBy: () => startedBy?.()};
}

test.each([
	['the user', [undefined], 'user'],
	['a watch', ['watch'], 'watch'],
	['the user, then a watch', [undefined, 'watch'], 'watch'],
	['a watch, then the user', ['watch', undefined], 'user'],
	['a watch, then both', ['watch', 'watch', undefined], 'user'],
] as const)('a run of %s was started by the last of them', async (_, senders, last) => {
	const {conversation, pass, startedBy} = watched();
	const first = conversation.send('Begin.', senders[0]);
	await turns();
	expect(startedBy()).toBe(senders[0] ?? 'user');
	const others = senders.slice(1).map(sender => conversation.send('Then.', sender));
	pass();
	await Promise.all([first, ...others]);
	expect(startedBy()).toBe(last);
});
