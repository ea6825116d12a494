import {existsSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {parseRule, ruleText} from '../../src/agent/policy/rules/rule.ts';
import {takeGlobalFlags} from '../../src/command/global-flags.ts';
import {blocksOf} from '../../src/core/session/transcript.ts';
import {refuseElsewhere} from '../../src/session/resume-session.ts';
import {type ModelHost, startModelHost} from '../e2e/model-host.ts';
import {socketServer} from '../net/servers.ts';
import {temporaryFolder} from '../storage/temporary.ts';
import {open, says} from './open-program.ts';

type Opened = ReturnType<typeof open>;

async function places() {
	const [home, folder] = [join(temporaryFolder(), 'home'), temporaryFolder()];
	return {home, folder, proxy: await socketServer(() => undefined), host: await startModelHost()};
}

const rulesOf = ({program}: Opened) =>
	program.forCommand({
		flags: takeGlobalFlags([]).flags,
		ui: {interact: undefined as never, live: undefined},
		signal: new AbortController().signal,
	}).program.project.approvals.rules;
const listed = (opened: Opened) =>
	rulesOf(opened)
		.list()
		.map(rule => `${rule.place?.source} ${rule.effect} ${ruleText(rule)}`);

/** Lets the model run `touch made`. Returns what was asked, and whether it ran. */
async function touches({program}: Opened, host: ModelHost, folder: string, keep?: 'session') {
	const asked: string[] = [];
	program.session.askWith(async ({hash, summary}) => {
		asked.push(summary);
		return keep ? {allowed: true, hash, keep} : {allowed: false};
	});
	host.answerWith(({call, finish}) => {
		call('run_command', {command: 'touch made'});
		finish();
	}, says);
	await program.session.conversation.send('touch it');
	const ran = existsSync(join(folder, 'made'));
	rmSync(join(folder, 'made'), {force: true});
	return {asked: asked.length, ran};
}

test('what the user allowed for a session is still allowed when it is resumed, and they are told', async () => {
	const {host, ...here} = await places();
	const first = open({...here, host});
	expect(await touches(first, host, here.folder, 'session')).toEqual({asked: 1, ran: true});
	expect(await touches(first, host, here.folder)).toEqual({asked: 0, ran: true});
	await first.program.close();

	const fresh = open({...here, host});
	expect(await touches(fresh, host, here.folder)).toEqual({asked: 1, ran: false});
	expect(await fresh.program.session.resume(sessionOf(first), refuseElsewhere)).toEqual([
		'1 rule of this session allowed again. List: `approvals`',
	]);
	expect(listed(fresh)).toEqual(['session allow run_command(touch *)']);
	expect(await touches(fresh, host, here.folder)).toEqual({asked: 0, ran: true});
});

test('a rule of a resumed session can be revoked for good, and a deny rule and plan mode beat it', async () => {
	const {host, ...here} = await places();
	const first = open({...here, host});
	await touches(first, host, here.folder, 'session');
	await first.program.close();

	const second = open({...here, host});
	await second.program.session.resume('latest', refuseElsewhere);
	await rulesOf(second).add(parseRule('run_command(touch *)', 'deny'), 'folder');
	expect(await touches(second, host, here.folder)).toEqual({asked: 0, ran: false});
	await rulesOf(second).revoke(2);
	second.state().setApprovalMode('plan');
	expect(await touches(second, host, here.folder)).toEqual({asked: 0, ran: false});
	second.state().setApprovalMode('ask');
	await rulesOf(second).revoke(1);
	await second.program.close();

	const third = open({...here, host});
	expect(await third.program.session.resume('latest', refuseElsewhere)).toEqual([]);
	expect(await touches(third, host, here.folder)).toEqual({asked: 1, ran: false});
});

test('a session that is resumed in another folder leaves what was allowed in the first one there', async () => {
	const {host, ...here} = await places();
	const first = open({...here, host});
	await touches(first, host, here.folder, 'session');
	await rulesOf(first).add(parseRule('fetch_url(example.com)'), 'session');
	await rulesOf(first).add(parseRule('run_command(npm publish *)', 'deny'), 'session');
	await first.program.close();

	const elsewhere = temporaryFolder();
	const second = open({...here, folder: elsewhere, host});
	expect(await second.program.session.resume(sessionOf(first), async () => 'here')).toEqual([
		'1 rule of this session allowed again. List: `approvals`',
		'1 rule of this session left out: made for another folder.',
		`The agent now works in ${elsewhere}.`,
		expect.stringContaining("`/undo`, `/diff` and `/rewind` don't cover its changes"),
	]);
	expect(listed(second)).toEqual(['session allow fetch_url(example.com)', 'session deny run_command(npm publish *)']);
	expect(await touches(second, host, elsewhere)).toEqual({asked: 1, ran: false});
	await second.program.close();

	const third = open({...here, folder: elsewhere, host});
	await third.program.session.resume(sessionOf(first), async () => 'there');
	expect(listed(third)).toHaveLength(3);
	expect(await touches(third, host, here.folder)).toEqual({asked: 0, ran: true});
});

test('a fork keeps the rules; one from an earlier message keeps those of then that still count, and all that deny', async () => {
	const {host, ...here} = await places();
	const world = open({...here, host});
	const rules = rulesOf(world);
	host.answerWith(says);
	await world.program.session.conversation.send('first');
	await rules.add(parseRule('edit_file(early/**)'), 'session');
	await rules.add(parseRule('edit_file(revoked/**)'), 'session');
	await world.program.session.conversation.send('second');
	await touches(world, host, here.folder, 'session');
	await rules.add(parseRule('edit_file(late/**)', 'deny'), 'session');
	await rules.revoke(2);

	await world.program.session.conversation.fork();
	const all = [
		'session allow edit_file(early/**)',
		'session allow run_command(touch *)',
		'session deny edit_file(late/**)',
	];
	expect(listed(world)).toEqual(all);

	const second = blocksOf(world.state().transcript).filter(({kind}) => kind === 'user')[1];
	await world.program.session.conversation.fork(second && 'id' in second ? second.id : '');
	expect(listed(world)).toEqual([all[0], all[2]]);
	await world.program.session.conversation.start();
	expect(listed(world)).toEqual([]);
});

test('a rule that holds a credential is not kept with the session [8]', async () => {
	const {host, ...here} = await places();
	const world = open({...here, host});
	await rulesOf(world).add(parseRule(`run_command(curl --token sk-ant-api03-${'a'.repeat(90)})`), 'session');
	expect(world.events.filter(({type}) => type === 'session-rule')).toEqual([]);
});

function sessionOf({state}: Opened): string {
	return state().transcript.session;
}
