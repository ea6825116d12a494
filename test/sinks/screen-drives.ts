import type {AgentEvent} from '../../src/core/session/event.ts';
import {setComposerText} from '../../src/editor/editor.ts';
import {safeLine} from '../../src/terminal/text/safe-text.ts';
import {openPanel, type Panel} from '../../src/ui/panels/panels.ts';
import {say, think, result as toolResult, user} from '../ui/canvas.ts';
import type {ContractApp} from '../ui/contract/contract-app.ts';
import {hostileJson, hostileTrace} from './structured-texts.ts';

/** Brings a hostile text to one place on the screen. */
export type Drive = (app: ContractApp, text: string) => Promise<void> | void;

const panel =
	(panelOf: (text: string) => Panel): Drive =>
	({store}, text) =>
		openPanel(store, panelOf(text));

let ids = 0;
const events =
	(eventsOf: (text: string, id: string) => readonly AgentEvent[]): Drive =>
	({store}, text) => {
		const {transcript, applyRecords} = store.getState();
		applyRecords(
			eventsOf(text, `id${++ids}`).map((event, index) => ({
				v: 1,
				seq: transcript.seq + 1 + index,
				at: '2026-01-01T00:00:00.000Z',
				session: transcript.session,
				server: 'local',
				event,
			})),
		);
	};

/** Commands of the agent that fail with these outputs. */
const outputsOf = (id: string, outputs: readonly string[]): readonly AgentEvent[] =>
	outputs.flatMap((output, index): readonly AgentEvent[] => [
		{type: 'tool-call', id: `${id}-${index}`, messageId: 'm', name: 'run_command', arguments: {command: 'report'}},
		{type: 'tool-output', id: `${id}-${index}`, text: output},
		toolResult(`${id}-${index}`, `${output}\n[exit status 1 after 2 s]`),
	]);

/** The drawing of a change as a panel shows it; what draws changes is tested with its own hostile texts. */
const subject = (text: string) => ({
	title: () => safeLine(text),
	window: () => ({shown: [safeLine(text)], leftOut: 0}),
	rows: () => 1,
	lastOffset: () => 0,
});

/** By the place, how text gets there. Texts of other people alone: what the user typed goes through the prompt. */
export const screenDrives: Readonly<Record<string, Drive>> = {
	'connection and model': ({store}, text) => {
		store.getState().setConnection({profile: text, server: 'http://127.0.0.1:1', state: 'ready'});
		store.getState().setModel(`custom/${text}`);
	},
	'not saved': ({store}, text) => store.setState({unsaved: text}),
	'command that runs': ({store}, text) => store.getState().setBusy(true, text),
	toast: ({store}, text) => store.getState().setToast(text),
	'list beside a draft': ({store}, text) => {
		const {composer, setComposer} = store.getState();
		setComposer(setComposerText(composer, 'a draft'));
		openPanel(store, {kind: 'pick', title: text, choices: []});
	},
	queue: ({store}, text) => store.setState({queue: [{id: 'q', text}] as never}),
	'message on its way': ({store}, text) => store.getState().setSending([text]),
	'list of waiting messages': ({store}, text) => {
		store.setState({queue: [{id: 'q', text}] as never});
		openPanel(store, {kind: 'queue'});
	},
	'open sessions': ({store}, text) =>
		store.getState().setBackground([{id: 'b', about: text, state: 'waiting', unread: 1}]),
	steps: ({store}, text) =>
		store.setState(({transcript}) => ({transcript: {...transcript, todo: [{text, state: 'active'}]}})),
	prompt: ({store}, text) => store.getState().setComposer(setComposerText(store.getState().composer, text)),
	offer: ({store}, text) => store.setState({offered: {label: text, text}} as never),
	suggestion: async ({store, terminal, waitFor}, text) => {
		const {composer, setComposer, setSavedSessions} = store.getState();
		setComposer(setComposerText(composer, '/resume '));
		// The line lists the sessions of the folder, of which there are none, at some time.
		await waitFor(() => {
			if (store.getState().savedSessions[0]?.title !== text) {
				setSavedSessions([{id: 's1', title: text, about: text}]);
			}

			return terminal.window().some(row => row.includes(text.split(' ')[0] ?? ''));
		});
	},
	picker: panel(text => ({kind: 'pick', title: text, choices: [{id: 'a', label: text, detail: text}]})),
	field: panel(text => ({kind: 'field', label: text, masked: false})),
	editor: panel(text => ({kind: 'edit', label: text, does: 'save', text})),
	question: panel(text => ({
		kind: 'confirm',
		question: text,
		about: {title: text, facts: [[text, text]]},
		subject: subject(text),
		answers: [{key: 'a', label: text, value: 'a'}],
		askedAt: 0,
	})),
	'question of the agent': panel(text => ({
		kind: 'ask',
		question: text,
		choices: [{label: text, description: text}],
		askedAt: 0,
		isFollowUp: false,
	})),
	login: panel(text => ({
		kind: 'device',
		server: `http://${text}`,
		page: `http://x/${text}`,
		pageWithCode: `http://x/${text}`,
		code: text,
		expiresAt: Date.now() + 60_000,
		opens: false,
	})),
	table: panel(text => ({kind: 'table', title: text, columns: [{label: text}], rows: [[text], [{at: text}]]})),
	lines: panel(text => ({kind: 'lines', title: text, lines: () => [safeLine(text)]})),
	message: events((text, id) => [user(text, id)]),
	answer: events((text, id) => [say(text, id), say(`\n\n${text}\n\n`, id)]),
	'answer that goes on': events((text, id) => [say(`${text} and so on`, id)]),
	thought: events((text, id) => [{...think(text), id} as AgentEvent]),
	call: events((text, id) => [
		{type: 'tool-call', id, messageId: 'm', name: text, arguments: {[text]: text}},
		{type: 'tool-output', id, text},
		toolResult(id, text, true),
	]),
	command: events((text, id) => [
		{type: 'tool-call', id, messageId: 'm', name: 'run_command', arguments: {command: text, description: text}},
		{type: 'tool-output', id, text: `${text}\n${text}`},
		toolResult(id, `Exit status 1\n${text}`, true),
	]),
	'colours of a command': events((text, id) => [
		{type: 'tool-call', id, messageId: 'm', name: 'run_command', arguments: {command: 'report'}},
		{type: 'tool-output', id, text, styles: `0+9999:31 ${text}`},
		{...toolResult(id, text, true), styles: `0+1:${text} 2+9999:1;31;${text} 0+9999:4`},
		{type: 'user-command', id: `own-${id}`, command: 'report'},
		{type: 'tool-output', id: `own-${id}`, text, styles: `0+9999:31${text}`},
		{
			...{type: 'user-command-end', id: `own-${id}`, output: text, styles: '0+9999:31', end: 'exit status 0'},
			...{status: 'done', milliseconds: 3},
		},
	]),
	'JSON of a command': events((text, id) => outputsOf(id, [hostileJson(text), `{\n  "${text}": "${text}"\n}`])),
	'trace of a command': events((text, id) => outputsOf(id, [hostileTrace(text)])),
	notice: events(text => [{type: 'notice', level: 'warning', text, hint: text}]),
	'error of a host': events(text => [
		{type: 'run-start', runId: 'r', model: text},
		{type: 'run-end', reason: 'error', stopReason: 'error', error: {code: 'provider', message: text, hint: text}},
	]),
	title: events(text => [{type: 'rename', title: text}]),
	'result of a command': app => app.type('/hostile\r'),
	'table that opens': app => {
		app.store.getState().closePanel();
		return app.type('/hostile-table\r');
	},
	'error of a command': app => app.type('/hostile-error\r'),
	'log panel': app => app.type('/hostile-log\r'),
	'JSON in a log': async app => {
		const before = app.store.getState().logs.length;
		await app.type('/hostile-json-log\r');
		await app.waitFor(() => (app.store.getState().logs[before]?.lines ?? 0) > 0);
		await app.type('\u0007');
		await app.waitFor(() => app.terminal.window().at(-1)?.includes('search') === true);
		// Each line is opened, then all are drawn as they were received.
		await app.type('k\rk\rk\rp');
		await app.type('p\u001b');
	},
	'transcript view': async app => {
		await app.type('\u000f');
		await app.waitFor(() => app.terminal.window()[0]?.startsWith('Transcript') === true);
	},
	'log viewer': async app => {
		await app.type('\u0007');
		await app.waitFor(() => app.terminal.window().at(-1)?.includes('search') === true);
	},
};
