import {type AnyAction, actionsIn, contexts} from '../../editor/keymap/contexts.ts';
import {keyLabel} from '../../editor/keymap/key-label.ts';
import type {OwnKeys} from '../../editor/keymap/keymap.ts';

/** What each action does, without a full stop. */
export const actionSummaries: Readonly<Record<AnyAction, string>> = {
	'prompt.send': 'send; while the agent works, queue for its next turn',
	'prompt.newline': 'new line, as after a backslash',
	'prompt.undo': 'undo',
	'prompt.redo': 'redo',
	'prompt.editor': 'edit the prompt in $VISUAL or $EDITOR, else in vi',
	'prompt.stash': 'stash the draft; if empty, bring one back',
	'prompt.search-history': 'search earlier prompts',
	'prompt.paste-image': 'paste an image',
	'prompt.up': 'line above, then waiting messages and earlier prompts',
	'prompt.down': 'line below, then later prompts',
	'prompt.left': 'left',
	'prompt.right': 'right',
	'prompt.word-left': 'word left',
	'prompt.word-right': 'word right',
	'prompt.line-start': 'start of the line',
	'prompt.line-end': 'end of the line',
	'prompt.start': 'start of the prompt',
	'prompt.end': 'end of the prompt',
	'prompt.delete-back': 'delete the character before',
	'prompt.delete': 'delete the character under the caret',
	'prompt.delete-or-quit': 'delete the character; if empty, quit',
	'prompt.kill-word-back': 'cut back to a space',
	'prompt.kill-part-back': 'cut the word before',
	'prompt.kill-word': 'cut the word after',
	'prompt.kill-line': 'cut to the end of the line',
	'prompt.kill-line-back': 'cut to the start of the line',
	'prompt.yank': 'insert what was cut',
	'prompt.yank-earlier': 'replace it with what was cut before',
	'prompt.transpose': 'swap two characters',
	'prompt.select-left': 'select to the left',
	'prompt.select-right': 'select to the right',
	'prompt.select-up': 'select to the line above',
	'prompt.select-down': 'select to the line below',
	'prompt.select-word-left': 'select the word on the left',
	'prompt.select-word-right': 'select the word on the right',
	'prompt.select-line-start': 'select to the start of the line',
	'prompt.select-line-end': 'select to the end of the line',
	'prompt.select-start': 'select to the start of the prompt',
	'prompt.select-end': 'select to the end of the prompt',
	'prompt.copy': 'copy what is selected',
	'app.transcript': 'open the full transcript',
	'app.approval-mode': 'next approval mode: ask, edits, plan, all',
	'app.next-session': 'go to the open session that waits for you, or the next',
	'app.redraw': 'redraw the screen',
	'app.suspend': 'suspend, back with fg',
	'logs.viewer': 'open the log viewer',
	'logs.panel': 'collapse or expand the log panel',
	'logs.taller': 'make the log panel taller',
	'logs.shorter': 'make the log panel shorter',
	'logs.next': 'next log, on an empty prompt',
	'completion.complete': 'complete',
	'completion.up': 'suggestion above',
	'completion.down': 'suggestion below',
	'completion.close': 'close the list, beside Esc',
	'panel.open': 'select in a list, open a row',
	'panel.up': 'up, in questions, too',
	'panel.down': 'down, in questions, too',
	'panel.page-up': 'page up, in questions, too',
	'panel.page-down': 'page down, in questions, too',
	'panel.scroll-up': 'scroll up beside a list of answers',
	'panel.scroll-down': 'scroll down beside a list of answers',
	'panel.first': 'first line or choice',
	'panel.last': 'last line or choice',
	'queue.send-now': 'interrupt, and send this message first',
	'queue.earlier': 'move it up',
	'queue.later': 'move it down',
	'queue.remove': 'remove it',
	'question.focus': 'move between your text and a question',
	'app.background': 'send the command that runs to the background',
	'panel.close': 'close a list, a table or lines, beside Esc',
	'table.sort': 'sort by the next column',
	'table.sort-back': 'sort by the column before',
	'table.times': 'exact times, or ages',
	'device.open': 'open the page',
	'device.copy-code': 'copy the code',
	'device.copy-url': 'copy the URL',
	'device.paste': 'paste the address that it ends on',
	'device.api-key': 'log in with an API key',
	'device.close': 'cancel, beside Esc',
	'transcript.open': 'show a message in full, or cut it again',
	'transcript.previous-message': 'your message before',
	'transcript.next-message': 'your message after',
	'transcript.search': 'search',
	'transcript.next-match': 'next match, upwards',
	'transcript.previous-match': 'previous match, downwards',
	'transcript.copy': 'copy the selected message',
	'transcript.log': 'the log at the time of a tool call',
	'transcript.up': 'message above',
	'transcript.down': 'message below',
	'transcript.page-up': 'page up',
	'transcript.page-down': 'page down',
	'transcript.first': 'first message',
	'transcript.last': 'last message, and follow new ones',
	'transcript.close': 'close, beside Esc',
	'viewer.up': 'line above, which pauses',
	'viewer.down': 'line below',
	'viewer.page-up': 'page up',
	'viewer.page-down': 'page down',
	'viewer.first': 'oldest line',
	'viewer.last': 'latest line, and follow',
	'viewer.left': 'scroll long lines to the left',
	'viewer.right': 'scroll long lines to the right',
	'viewer.search': 'search with a regex',
	'viewer.next-match': 'next match',
	'viewer.previous-match': 'previous match',
	'viewer.filter': 'filter by a regex or level>=warn',
	'viewer.highlight': 'highlight matches',
	'viewer.level': 'minimum level',
	'viewer.filter-all': 'this filter and level for all logs',
	'viewer.wrap': 'wrap or cut long lines',
	'viewer.raw': 'lines as received, or arranged',
	'viewer.times': 'arrival times',
	'viewer.fold': 'open or close a folded line',
	'viewer.mark': 'mark one end of a range',
	'viewer.copy': 'copy the range or the line',
	'viewer.save': 'save the range or all lines',
	'viewer.attach': 'attach the range to the prompt',
	'viewer.transcript': 'the transcript at the time of a line',
	'viewer.next-log': 'next log',
	'viewer.previous-log': 'previous log',
	'viewer.help': 'list these keys',
	'viewer.close': 'close, beside Esc',
	'review.select': 'select a change, or deselect it',
	'review.confirm': 'undo what is selected',
	'review.up': 'change above',
	'review.down': 'change below',
	'review.page-up': 'page up',
	'review.page-down': 'page down',
	'review.first': 'first change',
	'review.last': 'last change',
	'review.fold': 'fold a file, or unfold it',
	'review.close': 'close, beside Esc',
	'replay.pause': 'pause, or continue',
	'replay.slower': 'slower',
	'replay.faster': 'faster',
	'replay.stop': 'stop, beside Esc',
};

/** The same in a word or two, for the actions that are worth a look: `?` shows them. */
const briefSummaries: {readonly [action in AnyAction]?: string} = {
	'prompt.newline': 'new line',
	'prompt.undo': 'undo',
	'prompt.redo': 'redo',
	'prompt.editor': 'edit in $EDITOR',
	'prompt.stash': 'stash the draft',
	'prompt.search-history': 'earlier prompts',
	'prompt.paste-image': 'paste an image',
	'prompt.kill-word-back': 'cut a word',
	'prompt.kill-line-back': 'cut to the start',
	'prompt.yank': 'insert what was cut',
	'app.transcript': 'full transcript',
	'app.approval-mode': 'approval mode',
	'app.next-session': 'next open session',
	'app.background': 'command to the background',
	'app.redraw': 'redraw',
	'app.suspend': 'suspend',
	'logs.viewer': 'log viewer',
	'logs.panel': 'collapse the logs',
	'completion.complete': 'complete',
};

type FixedKey = {
	readonly key: string;
	readonly summary: string;
	/** What `?` shows of it: keys, each in a word or two. */
	readonly brief?: Readonly<Record<string, string>>;
};

/** Keys that can't be bound to anything else, because every screen has them, with what they do. */
export const fixedKeys: readonly FixedKey[] = [
	{
		key: '/  @  !',
		summary: 'command, file to attach, command of your shell',
		brief: {'/': 'commands', '@': 'attach a file', '!': 'run in your shell'},
	},
	{
		key: 'Esc',
		summary: 'interrupt; twice: clear, or edit the previous message',
		brief: {Esc: 'interrupt', 'Esc Esc': 'edit your last message'},
	},
	{
		key: 'Ctrl+C',
		summary: 'clear the prompt; interrupt, also a question; twice: quit',
		brief: {'Ctrl+C': 'clear, interrupt, quit'},
	},
	{key: '?', summary: 'show the keys, on an empty prompt'},
	{key: '\\', summary: 'new line, before the key that sends'},
	{key: 'Esc, Ctrl+C', summary: 'close a panel or a view, or cancel its question'},
];

/** The keys of an action that are in effect. */
export type KeyRow = {
	/** Where the action works. */
	readonly title: string;
	readonly action: AnyAction;
	readonly keys: readonly string[];
	readonly isOwn: boolean;
	readonly summary: string;
};

/** Returns every action with its keys, those of the user included. */
export function keyRows(own: OwnKeys): readonly KeyRow[] {
	return contexts.flatMap(context =>
		actionsIn(context).map((name): KeyRow => {
			const action = name as AnyAction;
			const keys = own[action] ?? context.keys[action] ?? [];
			return {title: context.title, action, keys, isOwn: own[action] !== undefined, summary: actionSummaries[action]};
		}),
	);
}

/** Returns the keys that are worth a look, each in a word or two; actions without a key are left out. */
export function briefKeys(own: OwnKeys): ReadonlyArray<readonly [key: string, does: string]> {
	const actions = keyRows(own).flatMap(({action, keys: [key]}) => {
		const does = briefSummaries[action];
		return key === undefined || does === undefined ? [] : [[keyLabel(key), does] as const];
	});
	return [...fixedKeys.flatMap(({brief = {}}) => Object.entries(brief)), ...actions];
}
