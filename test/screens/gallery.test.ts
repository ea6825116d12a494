import {expect, test} from 'vitest';
import type {AgentEvent} from '../../src/core/session/event.ts';
import {openPanel, type Panel} from '../../src/ui/panels/panels.ts';
import {answered, called, done, said, start, thought, toRecords, used, user} from '../core/records.ts';
import {runApp} from '../ui/running-app.ts';
import {withFixedValues} from './fixed-values.ts';
import {commandQuestion, editQuestion, trustQuestion} from './gallery-parts.ts';
import {galleryProgram} from './gallery-program.ts';
import {windowRuns} from './runs.ts';
import {renderSvg} from './svg.ts';

type App = ReturnType<typeof runApp>;
type Screen = {
	readonly name: string;
	/** What the picture shows. */
	readonly shows: string;
	/** Brings the screen about. */
	readonly open: (app: App) => Promise<void> | void;
	/** Waited for before the picture is taken. */
	readonly until: string;
};

const diff = [
	'@@ -1,4 +1,4 @@',
	" import {products} from './products.ts';",
	' ',
	'-const rates = {EUR: 1, USD: 1.08, GPB: 1.17};',
	'+const rates = {EUR: 1, USD: 1.08, GBP: 1.17};',
	' ',
].join('\n');
const change = {path: 'checkout.ts', diff, added: 1, removed: 1};

const edit: AgentEvent = {
	type: 'tool-call',
	...{id: 'c1', messageId: 'm1', name: 'edit_file', arguments: {path: 'checkout.ts'}},
};

/** A conversation up to a change that may need the user's approval. */
const begun: readonly AgentEvent[] = [
	start,
	user('Why does checkout fail for pounds?'),
	thought('The rates are in checkout.ts.'),
	called('checkout.ts'),
	answered('checkout.ts', '1\tconst rates = {};'),
	edit,
];

const install = {command: 'npm install stripe --save-exact'};
/** A conversation up to a command that may need it. */
const toPay: readonly AgentEvent[] = [
	start,
	user('Take payments with Stripe'),
	{type: 'tool-call', id: 'c1', messageId: 'm1', name: 'run_command', arguments: install},
];

/** A conversation with thoughts, calls, a change and Markdown. */
const chat: readonly AgentEvent[] = [
	...begun,
	{type: 'tool-result', id: 'c1', output: 'Changed checkout.ts.', failed: false, milliseconds: 12, change},
	{type: 'tool-call', id: 'c2', messageId: 'm1', name: 'run_command', arguments: {command: 'npm test'}},
	{
		type: 'tool-result',
		id: 'c2',
		output: '1 failed\n\n[exit status 1]',
		styles: '0+8:31',
		failed: true,
		milliseconds: 2400,
	},
	said('The key was misspelled: **GPB** is now `GBP`.\n\n- 14 tests pass\n- 1 needs the network', 'm2'),
	used('m2', 5200, 310),
	done,
];

const show = (app: App, events: readonly AgentEvent[]) => {
	const {applyRecords, transcript} = app.store.getState();
	applyRecords(toRecords(events).map(record => ({...record, session: transcript.session})));
};

const ask = (app: App) => show(app, chat);

/** Shows a call that waits for the answer to a question. */
const askAbout = (app: App, events: readonly AgentEvent[], question: Panel | undefined) => {
	show(app, [...events, {type: 'approval-request', id: 'c1', summary: '', hash: ''}]);
	openPanel(app.store, question);
};

const createSandbox = (app: App) => app.type('/env create web-shop\r');

const models = [
	{
		id: 'a',
		label: 'groq/llama-3.3-70b-versatile',
		detail: ' 131k    $0.59    $0.79',
		group: 'Ready · context, $ per million tokens in and out',
	},
	{
		id: 'b',
		label: 'custom/demo',
		detail: 'demo model, no AI',
		group: 'Ready · context, $ per million tokens in and out',
	},
	{id: 'c', label: 'anthropic/claude-opus-5', detail: ' 200k    $5.00   $25.00', group: 'These need an API key'},
	{id: 'd', label: 'openai/gpt-5', detail: ' 400k    $1.25   $10.00', group: 'These need an API key'},
];

const screens: readonly Screen[] = [
	{name: 'welcome', shows: 'The first screen', open: () => undefined, until: 'all commands, in groups'},
	{name: 'chat', shows: 'A conversation with a change of a file', open: ask, until: '1 needs the network'},
	{
		name: 'transcript',
		shows: 'The transcript view',
		async open(app) {
			ask(app);
			app.type('\u000f');
		},
		until: 'Transcript',
	},
	{
		name: 'approval',
		shows: 'A change that waits for the user',
		open: async app => askAbout(app, begun, await editQuestion(change)),
		until: 'Yes, once',
	},
	{name: 'commands', shows: 'Commands completed while they are typed', open: app => app.type('/e'), until: '/effort'},
	{name: 'help', shows: 'The help in groups', open: app => app.type('/help\r'), until: 'Esc close'},
	{
		name: 'help-search',
		shows: 'Commands about a word that names none',
		open: app => app.type('/help sandbox\r'),
		until: 'Help about',
	},
	{name: 'theme', shows: 'The themes with a sample', open: app => app.type('/theme\r'), until: 'misspelled'},
	{
		name: 'model',
		shows: 'Models, the usable ones first',
		open: app => openPanel(app.store, {kind: 'pick', title: 'Select a model', choices: models, current: 'b'}),
		until: 'These need',
	},
	{
		name: 'approval-command',
		shows: 'A command that waits for the user',
		open: async app => askAbout(app, toPay, await commandQuestion()),
		until: 'Run this command?',
	},
	{
		name: 'trust',
		shows: 'The files of a project that wait for the trust of the user',
		open: app => openPanel(app.store, trustQuestion()),
		until: 'run their hooks?',
	},
	{
		name: 'field',
		shows: 'A question with a field',
		open: app =>
			openPanel(app.store, {
				kind: 'field',
				label: 'Save the recovery codes to a new file (leave blank to skip):',
				masked: false,
			}),
		until: 'Enter confirm',
	},
	{name: 'sandbox', shows: 'A new sandbox with its log', open: createSandbox, until: '/env show'},
	{
		name: 'log-viewer',
		shows: 'The log of a sandbox in the whole window',
		async open(app) {
			await createSandbox(app);
			await app.waitFor('/env show');
			app.type('\u0007');
		},
		until: '? help',
	},
	{
		name: 'usage',
		shows: 'What a session used',
		async open(app) {
			ask(app);
			app.type('/usage\r');
		},
		until: 'By model',
	},
	{
		name: 'context',
		shows: 'What fills the context window',
		async open(app) {
			ask(app);
			app.type('/context\r');
		},
		until: 'Compacted automatically',
	},
	{
		name: 'diff',
		shows: 'The changes of the agent',
		async open(app) {
			ask(app);
			app.type('/diff\r');
		},
		until: 'Esc close',
	},
	{name: 'settings', shows: 'The settings', open: app => app.type('/settings\r'), until: 'Esc c'},
	{name: 'mcp', shows: 'The MCP servers with their tools', open: app => app.type('/mcp\r'), until: 'tracker'},
	{name: 'sessions', shows: 'The sessions of a folder', open: app => app.type('/sessions\r'), until: 'pounds'},
	{name: 'error', shows: 'A command that does not exist', open: app => app.type('/usge\r'), until: 'Did you mean'},
];

const sizes = [
	{columns: 80, rows: 24},
	{columns: 120, rows: 40},
] as const;

test.each(screens.flatMap(screen => sizes.map(size => ({...screen, ...size}))))(
	'the screen $name looks the same at $columns x $rows, on dark and on light',
	async ({name, shows, open, until, columns, rows}) => {
		const app = runApp({columns, rows, env: {NO_COLOR: '', TERM: 'xterm'}, compose: galleryProgram});
		await app.waitFor('all commands, in groups');
		await open(app);
		await app.waitFor(until);
		await app.settle(60);
		const cursor = app.cursor();
		const picture = {
			title: 'service',
			description: shows,
			columns,
			rows: windowRuns(app.terminal).map(withFixedValues(columns)),
			cursor: cursor && {...cursor, row: cursor.row - app.terminal.buffer.active.baseY},
		};
		for (const theme of ['dark', 'light'] as const) {
			const svg = renderSvg({...picture, theme});
			await expect(svg).toMatchFileSnapshot(`gallery/${name}-${columns}x${rows}-${theme}.svg`);
		}
	},
);
