import {expect, test} from 'vitest';
import {decideUnasked} from '../../../src/agent/approval/unasked.ts';
import type {Containment} from '../../../src/agent/tools/command/command-containers.ts';
import type {Act, ApprovalMode} from '../../../src/core/session/approval.ts';
import type {AgentEvent} from '../../../src/core/session/event.ts';
import {approvalsOf} from '../scripted.ts';

const signal = new AbortController().signal;
const command = (containment: Containment): Act => ({kind: 'command', command: 'make', folder: '/repo', containment});
const acts = {
	edit: {kind: 'edit', path: '/repo/a'},
	'secret edit': {kind: 'edit-secret', path: '/repo/.env'},
	'secret read': {kind: 'read-secret', path: '/repo/.env'},
	sandbox: command('sandbox'),
	network: command('network'),
	none: command('none'),
	fetch: {kind: 'fetch', url: 'https://example.com/', method: 'GET'},
} as const satisfies Readonly<Record<string, Act>>;

/** The approvals of a run with `--approve`, as the program connects them. */
function unasked(approve: Parameters<typeof decideUnasked>[0], suggestions: readonly string[] = []) {
	const mode: ApprovalMode = approve === 'never' ? 'ask' : approve;
	const events: AgentEvent[] = [];
	const judge = async () => ({effect: 'ask', suggestions}) as const;
	const run = approvalsOf(decideUnasked(approve), {mode: () => mode, judge}).startRun();
	const ask = (act: Act) =>
		run({id: 'c', signal, emit: event => events.push(event)})({act, summary: 'May I?', subject: 'x'});
	return {ask, events};
}

test.each([
	['never', []],
	['edits', ['edit']],
	['all', ['edit', 'sandbox', 'none']],
] as const)(
	'without a user, --approve %s allows %j, and neither secret files, the network nor fetches',
	async (approve, expected) => {
		const allowed: string[] = [];
		for (const [name, act] of Object.entries(acts)) {
			const {ask} = unasked(approve);
			const {allowed: isAllowed} = await ask(act).catch(() => ({allowed: false}));
			allowed.push(...(isAllowed ? [name] : []));
		}

		expect(allowed).toEqual(expected);
	},
);

test('--approve all says once that commands run without a sandbox', async () => {
	const {ask, events} = unasked('all');
	await ask(acts.none);
	await ask(acts.none);
	expect(events.filter(({type}) => type === 'notice')).toEqual([
		{type: 'notice', level: 'warning', text: 'Commands run without a sandbox, because of --approve all.'},
	]);
});

test.each<[keyof typeof acts, readonly string[], string]>([
	['edit', [], '--approve edits'],
	['none', ['run_command(npm test *)'], '--approve all or --allow "run_command(npm test *)"'],
	['network', ['run_command(npm ci)'], '--allow "run_command(npm ci)"'],
	['none', ["run_command(echo '$HOME')"], "--approve all or --allow 'run_command(echo '\\''$HOME'\\'')'"],
	['secret read', ['read_file(./.env)'], '--allow "read_file(./.env)"'],
])('a model that nobody can allow %s reads why, and which flag would', async (name, suggestions, flags) => {
	await expect(unasked('never', suggestions).ask(acts[name])).rejects.toMatchObject({
		message: "Not allowed: May I? This run can't ask the user for approval.",
		hint: `Continue without it, and tell the user that ${flags} allows it.`,
	});
});
