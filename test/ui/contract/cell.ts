import * as z from 'zod/mini';
import {hunksOf} from '../../../src/agent/changes/hunks.ts';
import {traceLines} from '../../../src/agent/changes/trace-lines.ts';
import {command} from '../../../src/command/command.ts';
import {openPanel} from '../../../src/ui/panels/panels.ts';
import {shop} from '../log-parts.ts';
import type {ContractApp} from './contract-app.ts';
import type {ContractTerminal} from './emulated-terminal.ts';
import type {TerminalKind} from './kinds.ts';
import type {VirtualTime} from './virtual-time.ts';

/** A running app in a window of a size, and how to open another window of that terminal. */
export type Cell = {
	readonly kind: TerminalKind;
	readonly time: VirtualTime;
	readonly app: ContractApp;
	readonly terminal: ContractTerminal;
	readonly columns: number;
	readonly rows: number;
	/** Another window, for a fresh start. */
	readonly open: () => Promise<ContractTerminal>;
};

const logToFollow = {
	environment: shop,
	server: 'http://127.0.0.1:8700',
	profile: 'local',
	title: 'web-shop',
	follow: true,
	source: async () => ({kind: 'window' as const, text: 'level=info one\nlevel=warn two\nthree\n'}),
};

/** Opens a log that the panel follows. */
export const follow = command({
	name: 'follow-one',
	summary: 'Follow a log',
	args: z.object({}),
	run: () => ({kind: 'panel', panel: {show: 'log', log: logToFollow}}),
});

const before = Array.from({length: 40}, (_, index) => `line ${index + 1}\n`);
const traced = traceLines(before.join(''), [
	{
		text: before
			.with(2, 'changed\n')
			.with(30, `${'日本 long '.repeat(20)}\n`)
			.join(''),
		by: 'agent',
	},
]);

/** Shows changes of a file in the whole window, as `/diff` does. */
export const review = command({
	name: 'review-one',
	summary: 'Review a change',
	args: z.object({}),
	async run(_, {ui: {interact}}) {
		const file = {
			path: 'src/cart.ts',
			kind: 'changed',
			added: 2,
			removed: 2,
			hunks: hunksOf(traced),
			note: '',
		} as const;
		const more = {traced, isUsersToo: false, canTakeBack: true, base: undefined, current: undefined};
		await interact.review?.({title: 'Changes', files: [{...file, ...more}]});
		return {kind: 'text', text: ''};
	},
});

/** Returns what is wrong; undefined if the promise is kept. */
export type Check = (cell: Cell) => Promise<string | undefined>;

/** Clears the whole window. */
export const fullClear = /\u001b\[2J|\u001b\[H\u001b\[0?J|\u001bc/;

/** Sends a message, waits for the run, and streams paragraphs until they fill the window. */
export async function fillWindow({app, time, rows, columns}: Cell, name: string): Promise<void> {
	await app.type(`go ${name}\r`);
	await app.waitFor(() => app.store.getState().transcript.run !== undefined);
	for (let index = 0; index * 2 < rows + 20; index++) {
		app.say(`Part ${name}.${index} ${'and so on '.repeat(columns < 30 ? 2 : 9)}\n\n`);
		await time.turns(2);
	}

	await time.pass(100);
}

/** Follows a log, so that its panel is open. */
export async function followLog(app: ContractApp) {
	await app.type('/follow-one\r');
	await app.waitFor(() => (app.store.getState().logs[0]?.lines ?? 0) > 0);
}

export function openPanels({store}: ContractApp) {
	openPanel(store, {kind: 'confirm', question: 'Really do all of that, and more, at once?', askedAt: 0});
	store.getState().showLogPanel(true);
}

export async function closePanels({app, time}: Cell) {
	app.store.getState().closePanel();
	await time.pass(50);
}
