import fc from 'fast-check';
import {expect, test} from 'vitest';
import {parseRule, ruleText} from '../../src/agent/policy/rules/rule.ts';
import {type ApprovalMode, approvalModes} from '../../src/core/session/approval.ts';
import {refuseElsewhere} from '../../src/session/resume-session.ts';
import {says, world, writes} from './background-world.ts';

type World = Awaited<ReturnType<typeof world>>;

const rulesOf = ({program}: World) =>
	program.forCommand({ui: {live: {}, interact: {}}, flags: {}, signal: new AbortController().signal} as never).program
		.project.approvals.rules;
const listed = (here: World) =>
	rulesOf(here)
		.list()
		.filter(({place}) => place?.source === 'session')
		.map(ruleText);
const mode = ({store}: World) => store.getState().approvalMode;
const start = ({program}: World) => program.session.conversation.start();

test('[20] the mode and the rules of a session end with it: a new one begins as the settings say', async () => {
	const here = await world();
	here.host.answerWith(writes('a.txt'), says('Written.'));
	const sent = here.program.session.conversation.send('Write.');
	await expect.poll(() => here.asked.length).toBe(1);
	here.answer({allowed: true, hash: here.asked[0]?.hash ?? '', keep: 'edits'});
	await sent;
	await rulesOf(here).add(parseRule('run_command(touch *)'), 'session');
	expect([mode(here), listed(here)]).toEqual(['edits', ['run_command(touch *)']]);
	await start(here);
	expect([mode(here), listed(here)]).toEqual(['ask', []]);
	here.host.answerWith(writes('b.txt'), says('Written.'));
	const again = here.program.session.conversation.send('Write again.');
	await expect.poll(() => here.asked.length).toBe(2);
	here.allow();
	await again;
});

test('[20] a session that comes back from the background has its own mode, and gives it to no other', async () => {
	const here = await world();
	const {store, run, session, program, host} = here;
	const {promise, release} = gate();
	host.answerWith(async answer => {
		answer.say('Soon.');
		await promise;
		says('Done.')(answer);
	});
	const first = session();
	const sent = program.session.conversation.send('Wait.');
	await expect.poll(here.texts).toContain('Soon.');
	store.getState().setApprovalMode('edits');
	await run('bg');
	expect(mode(here)).toBe('ask');
	store.getState().setApprovalMode('all');
	release();
	await sent;
	await program.session.resume(first, refuseElsewhere);
	expect(mode(here)).toBe('edits');
	await start(here);
	expect(mode(here)).toBe('ask');
});

function gate() {
	let release = () => {};
	const promise = new Promise<void>(resolve => {
		release = resolve;
	});
	return {promise, release};
}

type Rights = {mode: ApprovalMode; rules: readonly string[]};

/** What the user may do, and what each session then has: nothing that another one was given. */
type Step =
	| {readonly kind: 'mode'; readonly mode: ApprovalMode}
	| {readonly kind: 'rule'; readonly rule: string}
	| {readonly kind: 'new' | 'fork' | 'bg'}
	| {readonly kind: 'resume'; readonly pick: number};

const step: fc.Arbitrary<Step> = fc.oneof(
	fc.record({kind: fc.constant('mode' as const), mode: fc.constantFrom(...approvalModes)}),
	fc.record({
		kind: fc.constant('rule' as const),
		rule: fc.constantFrom('run_command(touch *)', 'fetch_url(a.example)'),
	}),
	fc.record({kind: fc.constantFrom('new' as const, 'fork' as const, 'bg' as const)}),
	fc.record({kind: fc.constant('resume' as const), pick: fc.nat(5)}),
);

test('[20] no right of a session is in effect in another one, whatever the user does', async () => {
	await fc.assert(
		fc.asyncProperty(fc.array(step, {minLength: 3, maxLength: 10}), async steps => {
			const here = await world();
			const {program, host, run, session} = here;
			const rights = new Map<string, Rights>([[session(), {mode: 'ask', rules: []}]]);
			const behind = new Set<string>();
			const current = () => rights.get(session()) ?? expect.fail('This session is unknown.');
			const gates: (() => void)[] = [];
			for (const one of steps) {
				if (one.kind === 'mode') {
					here.store.getState().setApprovalMode(one.mode);
					current().mode = one.mode;
				} else if (one.kind === 'rule') {
					if (here.store.getState().transcript.seq < 0) {
						// A session without a message is not kept.
						host.answerWith(says('Hello.'));
						await program.session.conversation.send('Hello.');
					}

					await rulesOf(here).add(parseRule(one.rule), 'session');
					const others = current().rules.filter(rule => rule !== one.rule);
					current().rules = [...others, one.rule];
				} else if (one.kind === 'new') {
					behind.delete(session());
					await start(here);
					rights.set(session(), {mode: 'ask', rules: []});
				} else if (one.kind === 'fork' && here.store.getState().transcript.seq >= 0) {
					const {rules} = current();
					await program.session.conversation.fork();
					// A fork has the rules as a part of what it continues, but not the mode.
					rights.set(session(), {mode: 'ask', rules});
				} else if (one.kind === 'bg' && behind.size < 3) {
					const {promise, release} = gate();
					gates.push(release);
					host.answerWith(async answer => {
						answer.say('Soon.');
						await promise;
						says('Done.')(answer);
					});
					void program.session.conversation.send('Wait.');
					await expect.poll(() => here.store.getState().transcript.run).toBeDefined();
					behind.add(session());
					await run('bg');
					rights.set(session(), {mode: 'ask', rules: []});
				} else if (one.kind === 'resume') {
					const saved = [...rights].filter(([id, {rules}]) => id !== session() && (rules.length > 0 || behind.has(id)));
					const [id] = saved[one.pick % Math.max(1, saved.length)] ?? [];
					if (id !== undefined) {
						// Another one of the background lets the run of this one go on there; a saved one ends it.
						if (here.store.getState().transcript.run && behind.has(id)) {
							behind.add(session());
						}

						await program.session.resume(id, refuseElsewhere);
						current().mode = behind.delete(id) ? current().mode : 'ask';
					}
				}

				expect([mode(here), listed(here)]).toEqual([current().mode, current().rules]);
			}

			for (const release of gates) {
				release();
			}

			await program.close();
		}),
		{numRuns: 40},
	);
});
