import * as z from 'zod/mini';
import {hunksOf} from '../../src/agent/changes/hunks.ts';
import type {ReviewedFile} from '../../src/agent/changes/review.ts';
import {traceLines} from '../../src/agent/changes/trace-lines.ts';
import type {ServerState} from '../../src/agent/mcp/server.ts';
import type {ServerStatus} from '../../src/agent/mcp/servers.ts';
import {command, noun} from '../../src/command/command.ts';
import {environmentCard} from '../../src/command/views/environment-view.ts';
import type {McpServer} from '../../src/config/mcp/mcp-file.ts';
import type {LogSource} from '../../src/contract/log-cursor.ts';
import type {SessionSummary} from '../../src/storage/session-summary.ts';
import type {AppStore} from '../../src/store/store.ts';
import type {AppProgram} from '../../src/ui/open-conversation.ts';
import {testProgram} from '../ui/program.ts';

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

const sessions: readonly SessionSummary[] = [
	['Why does checkout fail for pounds?', 14, 12],
	['Rename the product table, and keep old links working for a while', 230, 310],
	['', 8, 3000],
].map(([title, messages, minutes], index) => ({
	id: `${index}d9f3a52-0c41-4b6e-9d27-5e8a1f6b3c90`,
	path: '',
	folder: '/home/ada/shop',
	title: String(title),
	about: 'Add a test for the cart of a visitor who is…',
	preview: 'Add a test for the cart of a visitor who is not logged in',
	latest: 'And one for a visitor who is',
	updatedAt: minutesAgo(Number(minutes)),
	messages: Number(messages),
	model: 'anthropic/claude-opus-5',
}));

const tool = (name: string) => ({
	name,
	description: 'Find issues and pull requests by words, author, label or state, newest first',
	parameters: {type: 'object'},
	readOnly: true,
	run: () => Promise.reject(new Error('never called')),
});

function server(given: McpServer, state: ServerState, tools: readonly string[] = []): ServerStatus {
	return {
		configured: {server: given, id: given.name, scope: 'user', path: '~/.service/mcp.json', standing: 'user'},
		...{state, tools: tools.map(tool), faults: [], log: []},
	};
}

const stdio = {type: 'stdio', env: {}} as const;
const servers: readonly ServerStatus[] = [
	server(
		{...stdio, name: 'tracker', command: 'npx', args: ['-y', 'tracker-mcp', '--read-only']},
		{state: 'ready', about: 'tracker 2.1.0'},
		['search_issues', 'read_issue', 'list_pull_requests'],
	),
	server(
		{type: 'http', name: 'docs', url: 'https://docs.example.com/mcp', headers: {}},
		{state: 'failed', reason: 'it wants a login', needsLogin: true},
	),
	server({...stdio, name: 'browser', command: 'browser-mcp', args: []}, {state: 'stopped'}),
];

const rates = Array.from({length: 14}, (_, index) => `rate('${'ABCDEFGHIJKLMN'[index]}UR', 1.${index + 10});\n`);

function reviewed(path: string, base: readonly string[], now: readonly string[]): ReviewedFile {
	const text = now.join('');
	const traced = traceLines(base.join(''), [
		{text, by: 'agent'},
		{text, by: 'user'},
	]);
	return {
		...{path, kind: 'changed', added: 1, removed: 1, hunks: hunksOf(traced), note: '', traced},
		...{isUsersToo: false, canTakeBack: true, base: undefined, current: undefined},
	};
}

const files = [
	reviewed('src/checkout.ts', rates, rates.with(3, "rate('GBP', 1.17);\n")),
	reviewed('src/cart.ts', ['let total = 0;\n', 'add(total);\n'], ['let total = 0;\n', 'add(total, rate);\n']),
];

const logged = [
	'{"time":"2026-03-02T09:41:00.352Z","level":"info","msg":"listening","port":8080,"pid":17}',
	'level=info msg=request method=GET path=/products status=200 duration=2.1ms',
	'level=warn msg=request method=GET path=/favicon.ico status=404 duration=0.4ms',
	'level=error msg="no rate for GBP" method=POST path=/checkout status=500 visitor=7d9f3a52 duration=8.9ms',
	'    at rateOf (checkout.ts:12:9)',
	'    at total (checkout.ts:31:14)',
	'level=info msg=request method=GET path=/orders status=200 duration=1.9ms',
];

const shop = '7d9f3a52-0c41-4b6e-9d27-5e8a1f6b3c90';
const log: LogSource = async ({after = 0}) =>
	after === 0 ? {kind: 'window', text: `${logged.join('\n')}\n`, start: 0, offset: 700} : {kind: 'unchanged'};

/** Shows the card of a sandbox and follows its log, without a server that makes one. */
const create = command({
	name: 'create',
	summary: 'Create a sandbox that runs a task',
	args: z.object({task: z.string()}),
	positional: ['task'],
	async run({task}, {ui: {live}, signal}) {
		const place = {environment: shop, server: 'http://127.0.0.1:1', profile: 'local', title: task, follow: true};
		await live?.followLog({...place, sinceStart: true, source: log}, signal);
		const now = Date.parse('2026-03-02T09:41:00.352Z');
		const environment = {
			...{id: shop, state: 'ready', task_ref: task, expires_at: new Date(now + 3_600_000).toISOString()},
			...{created_at: new Date(now).toISOString(), service_urls: {shop: {url: 'http://127.0.0.1:41001/'}}},
			...{execute_token: 'token-of-the-sandbox', task_verification: {tests: 12}, instruction: 'Find the fault.'},
		} as const;
		return environmentCard(environment, {showToken: false}, now);
	},
});

const priceOf = () => ({input: 5, cacheRead: 0.5, cacheWrite: 6.25, output: 25});

const facts = {
	models: {
		catalog: async () => ({
			infoOf: () => undefined,
			priceOf,
			...{models: [], date: '2026-01-01', source: 'the built-in table'},
		}),
	},
	contextWindow: async () => ({
		system: 'You are an agent. '.repeat(500),
		instructions: 'Use tabs. '.repeat(200),
		skills: '- review: reads a change. '.repeat(40),
		tools: [tool('read_file'), tool('mcp__tracker__search_issues')],
		size: 32_000,
	}),
} as const;

const never = () => Promise.reject(new Error('never called'));
const unused = {
	takeBack: never,
	plan: never,
	difference: never,
	apply: never,
	lastOf: never,
	pathsOf: never,
	finish: never,
};

/** The program of a test whose commands find some sessions, MCP servers, changes of files and a sandbox. */
export async function galleryProgram(store: AppStore): Promise<AppProgram> {
	const {program} = testProgram({store});
	// As the catalog does: the status line counts with the prices that /usage shows.
	store.getState().setCatalog({priceOf, infoOf: () => undefined});
	const all = () => [
		noun({name: 'env', summary: 'Sandboxes that run tasks', verbs: [create]}),
		...program.commands.all().filter(({name}) => name !== 'env'),
	];
	const shown: AppProgram = {
		...program,
		commands: {...program.commands, all},
		models: {...program.models, ...facts.models},
		model: {...program.model, contextWindow: facts.contextWindow},
		session: {...program.session, saved: {...program.session.saved, list: async () => sessions}},
		mcp: {...program.mcp, status: async () => servers},
		project: {...program.project, changes: async () => ({...unused, review: async () => files})},
	};
	return {
		...shown,
		forCommand(request) {
			const context = program.forCommand(request);
			return {...context, program: {...shown, servers: context.program.servers}};
		},
	};
}
