import {
	commandKeys,
	completionKeys,
	defaultKeys,
	deviceKeys,
	type KeyTable,
	panelKeys,
	questionKeys,
	queueKeys,
} from './default-keys.ts';
import {replayKeys, reviewKeys, transcriptKeys, viewerKeys} from './view-keys.ts';

/** Where keys have meanings of their own. */
export type Context = {
	/** As the user reads it. */
	readonly title: string;
	readonly keys: KeyTable;
	/** True if the user types text there: a character alone is no key then. */
	readonly isTyping: boolean;
	/** True if a key may be a sequence of two chords. */
	readonly joins?: true;
	/** True if the prompt gets keys first that begin a sequence of its own. */
	readonly isInPrompt?: true;
	/** An action without which nothing could be done. */
	readonly needs?: string;
};

/** All contexts, in the order in which they are shown. Their tables name what is global there, too. */
export const contexts: readonly Context[] = [
	{title: 'Prompt', keys: defaultKeys, isTyping: true, joins: true, needs: 'prompt.send'},
	{title: 'Completion', keys: completionKeys, isTyping: true, isInPrompt: true},
	{title: 'Panels', keys: panelKeys, isTyping: true, needs: 'panel.open'},
	{title: 'Waiting messages', keys: queueKeys, isTyping: false},
	{title: 'Question beside a draft', keys: questionKeys, isTyping: true, isInPrompt: true},
	{title: 'Running command', keys: commandKeys, isTyping: true, isInPrompt: true},
	{title: 'Login in the browser', keys: deviceKeys, isTyping: false},
	{title: 'Transcript view', keys: transcriptKeys, isTyping: false},
	{title: 'Log viewer', keys: viewerKeys, isTyping: false},
	{title: 'Review of changes', keys: reviewKeys, isTyping: false},
	{title: 'Replay', keys: replayKeys, isTyping: false},
];

const promptActions: ReadonlySet<string> = new Set(Object.keys(defaultKeys));

/** Returns the actions that are of this context alone. */
export function actionsIn({keys}: Context): readonly string[] {
	return keys === defaultKeys ? [...promptActions] : Object.keys(keys).filter(action => !promptActions.has(action));
}

/** The default keys of every action. */
export const allKeys: KeyTable = Object.assign({}, ...contexts.map(({keys}) => keys));

/** Every action that a key can be bound to. */
export type AnyAction =
	| keyof typeof defaultKeys
	| keyof typeof completionKeys
	| keyof typeof panelKeys
	| keyof typeof queueKeys
	| keyof typeof questionKeys
	| keyof typeof commandKeys
	| keyof typeof deviceKeys
	| keyof typeof transcriptKeys
	| keyof typeof viewerKeys
	| keyof typeof reviewKeys
	| keyof typeof replayKeys;
