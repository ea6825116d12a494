import {relative} from 'node:path';
import {isDeepStrictEqual} from 'node:util';
import {codeFence} from '../../core/code-fence.ts';
import {cutText} from '../../core/cut-text.ts';
import {entryOf} from '../../core/entry-of.ts';
import {isJsonObject, type Json, type JsonObject} from '../../core/json.ts';
import type {CallWords} from '../../core/session/call-words.ts';
import type {AgentEvent, FileChange} from '../../core/session/event.ts';
import {cutResult} from '../answer-call.ts';
import {isSecretFile} from '../policy/secret-files.ts';
import type {RunTools} from '../tool-turn.ts';
import {describeChange} from '../tools/files/change-file.ts';
import {listIn, textIn} from './read-value.ts';

/** A call of an agent, as it has said so far: what came last counts. */
export type ExternalCall = {
	/** Its id in our session. */
	readonly id: string;
	name: string;
	kind: string;
	title: string;
	arguments: JsonObject;
	content: readonly JsonObject[];
	/** The changes of files that it showed last. Some agents show them in a question alone. */
	diffs: readonly JsonObject[];
	locations: readonly string[];
	/** The output that is shown. */
	shown: string;
	rawOutput: Json | undefined;
	/** True if a question about it was answered with no: without an end of its own it counts as failed. */
	isRefused: boolean;
	readonly startedAtMs: number;
};

type Options = {
	readonly newId: () => string;
	readonly folder: string;
	readonly emit: (event: AgentEvent) => void;
	readonly images: RunTools['images'];
	readonly clock?: () => number;
};

/** The verbs of calls on the screen, by their kind; those of other kinds are their names. */
const verbs: Readonly<Record<string, string>> = {
	read: 'Read',
	edit: 'Edit',
	delete: 'Delete',
	move: 'Move',
	search: 'Search',
	execute: 'Run',
	think: 'Think',
	fetch: 'Fetch',
};

const planStates: Readonly<Record<string, 'active' | 'done'>> = {in_progress: 'active', completed: 'done'};

/** How many updates of unknown kinds are shown as text; the others are counted. */
const maxStrangers = 3;

/** Most text of one unknown update, and of one title. */
const maxText = 300;

/** Turns the updates of one run into events. */
export type UpdateEvents = {
	/** Follows an update: the `update` of a `session/update`. */
	readonly follow: (update: JsonObject) => void;
	/** Returns a call as it is known with what a question says of it; begins it if it is new. */
	readonly callOf: (toolCall: JsonObject) => ExternalCall;
	/** Ends the calls that have no result, and tells how much was not understood. */
	readonly end: () => Promise<void>;
	/** Resolves when the results so far are emitted. */
	readonly settle: () => Promise<void>;
};

/**
 * Creates what turns the updates of an agent into events of a run. Whatever isn't understood is kept as text or counted; it
 * never throws.
 */
export function createUpdateEvents({
	newId,
	folder,
	emit,
	images,
	clock = performance.now.bind(performance),
}: Options): UpdateEvents {
	const open = new Map<string, ExternalCall>();
	/** The beginnings of what calls that have ended came to. Some agents send more of them. */
	const outputs = new Map<string, string>();
	let spoken: {kind: string; own: string; id: string; messageId: string} | undefined;
	let strangers = 0;
	/** Ends once every image of a result is saved. */
	let saving: Promise<unknown> = Promise.resolve();

	const speak = (kind: 'text-delta' | 'reasoning-delta', text: string, own: string) => {
		if (text === '') {
			return;
		}

		if (spoken?.own !== own || !spoken) {
			spoken = {kind, own, id: newId(), messageId: newId()};
		} else if (spoken.kind !== kind) {
			spoken = {...spoken, kind, id: newId()};
		}

		emit({type: kind, id: spoken.id, messageId: spoken.messageId, text});
	};

	const stranger = (what: string, text: string) => {
		strangers++;
		if (strangers <= maxStrangers) {
			emit({type: 'notice', level: 'info', text: `${what}: ${cutText(text, maxText)}`});
		}
	};

	const begin = (own: string): ExternalCall => {
		const call: ExternalCall = {
			id: newId(),
			name: 'other',
			kind: 'other',
			title: '',
			arguments: {},
			content: [],
			diffs: [],
			locations: [],
			shown: '',
			rawOutput: undefined,
			isRefused: false,
			startedAtMs: clock(),
		};
		open.set(own, call);
		return call;
	};

	/** Updates a call by what is said of it, and emits what that changes. */
	const take = (given: JsonObject): ExternalCall => {
		const own = textIn(given, 'toolCallId') ?? '';
		const known = open.get(own);
		const call = known ?? begin(own);
		const before = {arguments: call.arguments, words: wordsOf(call, folder)};
		read(call, given);
		if (!known) {
			spoken = undefined;
			const messageId = newId();
			emit({
				type: 'tool-call',
				id: call.id,
				messageId,
				name: call.name,
				arguments: call.arguments,
				words: wordsOf(call, folder),
			});
		} else {
			const words = wordsOf(call, folder);
			const isNewArguments = !isDeepStrictEqual(before.arguments, call.arguments);
			const isNewWords = !isDeepStrictEqual(before.words, words);
			if (isNewArguments || isNewWords) {
				emit({
					type: 'tool-call-update',
					id: call.id,
					...(isNewArguments && {arguments: call.arguments}),
					...(isNewWords && {words}),
				});
			}
		}

		return call;
	};

	const followCall = (given: JsonObject) => {
		const own = textIn(given, 'toolCallId') ?? '';
		if (given['sessionUpdate'] === 'tool_call_update' && !open.has(own) && !beginsCall(own, given)) {
			return;
		}

		const call = take(given);
		const status = given['status'];
		if (status === 'completed' || status === 'failed') {
			open.delete(own);
			outputs.set(own, cutText(outputOf(call.content, call.rawOutput), maxText));
			finish(call, status === 'failed');
			return;
		}

		const text = textOf(call.content);
		if (text.length > call.shown.length && text.startsWith(call.shown)) {
			emit({type: 'tool-output', id: call.id, text: text.slice(call.shown.length)});
			call.shown = text;
		}
	};

	/** Returns true if an update of no open call begins one. Otherwise it is of one that has ended, and what it adds is said. */
	const beginsCall = (own: string, {kind, title, rawInput, rawOutput, content}: JsonObject): boolean => {
		if (!outputs.has(own) && [kind, title, rawInput].some(each => each !== undefined)) {
			return true;
		}

		const items = Array.isArray(content) ? content.filter(isJsonObject) : [];
		const text = cutText(outputOf(items, rawOutput), maxText);
		if (text && text !== outputs.get(own)) {
			stranger('The agent sent more of a call that had ended', text);
		}

		return false;
	};

	const finish = (call: ExternalCall, failed: boolean) => {
		// A call that failed changed what its end shows, if anything.
		const diffs = failed ? call.content.filter(isDiff) : call.diffs;
		const [change, ...others] = diffs.map(diff => changeIn(diff, folder).recorded);
		const text = outputOf(call.content, call.rawOutput);
		const more = others.map(({path, diff}) => `${path}\n${diff}`);
		const output = cutResult([text, ...more].filter(Boolean).join('\n\n'));
		const milliseconds = Math.round(clock() - call.startedAtMs);
		const result = {type: 'tool-result', id: call.id, output, failed, milliseconds, ...(change && {change})} as const;
		const pictures = images ? imagesIn(call.content) : [];
		if (!images || pictures.length === 0) {
			emit(result);
			return;
		}

		saving = Promise.all([saving, saveImages(pictures, images)]).then(([, shown]) =>
			emit({...result, ...(shown.length > 0 && {images: shown})}),
		);
	};

	return {
		callOf: take,
		follow(update) {
			const kind = update['sessionUpdate'];
			switch (kind) {
				case 'agent_message_chunk':
				case 'agent_thought_chunk': {
					const text = textOfContent(update['content']);
					const type = kind === 'agent_message_chunk' ? 'text-delta' : 'reasoning-delta';
					speak(type, text, textIn(update, 'messageId') ?? `${spoken?.own ?? ''}`);
					return;
				}
				case 'user_message_chunk':
					return;
				case 'tool_call':
				case 'tool_call_update':
					followCall(update);
					return;
				case 'plan':
					emit({
						type: 'plan',
						items: listIn(update, 'entries').map(entry => ({
							text: cutText(textIn(entry, 'content') ?? '', maxText),
							state: entryOf(planStates, textIn(entry, 'status') ?? '') ?? 'pending',
						})),
					});
					return;
				case 'notice': {
					const severity = update['severity'];
					const level = severity === 'warning' || severity === 'error' ? severity : 'info';
					const hint = textIn(update, 'description');
					emit({
						type: 'notice',
						level,
						text: textIn(update, 'title') ?? '',
						...(hint && {hint: cutText(hint, maxText)}),
					});
					return;
				}
				default: {
					const {sessionUpdate: _, ...rest} = update;
					const text = textOfContent(update['content']) || JSON.stringify(rest);
					stranger(`The agent sent “${cutText(wordsOfValue(kind), 40)}”`, text);
				}
			}
		},
		async settle() {
			await saving;
		},
		async end() {
			for (const call of open.values()) {
				finish(call, call.isRefused);
			}

			open.clear();
			await saving;
			if (strangers > maxStrangers) {
				emit({type: 'notice', level: 'info', text: `The agent sent ${strangers} updates that mean nothing here.`});
			}
		},
	};
}

/** Reads what an update says of a call; what it leaves out stays. An empty input says nothing. */
function read(call: ExternalCall, given: JsonObject): void {
	const {rawInput, rawOutput, content, locations} = given;
	call.kind = textIn(given, 'kind') ?? call.kind;
	call.title = cutText((textIn(given, 'title') ?? call.title).replace(/\s+/g, ' ').trim(), maxText);
	const name = textIn(given, 'name');
	call.name = name === undefined ? (call.name === 'other' ? call.kind : call.name) : plainName(name);
	if (isJsonObject(rawInput)) {
		call.arguments = Object.keys(rawInput).length > 0 ? rawInput : call.arguments;
	} else if (rawInput !== undefined && rawInput !== null) {
		call.arguments = {input: rawInput};
	}

	call.rawOutput = rawOutput ?? call.rawOutput;
	call.content = Array.isArray(content) ? content.filter(isJsonObject) : call.content;
	const diffs = call.content.filter(isDiff);
	call.diffs = diffs.length > 0 ? diffs : call.diffs;
	if (Array.isArray(locations)) {
		call.locations = listIn(given, 'locations').flatMap(place => textIn(place, 'path') ?? []);
	}
}

/** Returns a name as vendors take names of tools: the conversation may go on with another model. */
function plainName(name: string): string {
	return name.replace(/[^\w-]/g, '_').slice(0, 64) || 'other';
}

/** Returns a call in words: the verb of its kind, and its title without that. */
export function wordsOf(call: ExternalCall, folder: string): CallWords {
	const {kind, name, title} = call;
	const verb = entryOf(verbs, kind) ?? (name === 'other' ? 'Call' : name);
	const subject = title.toLowerCase().startsWith(`${verb.toLowerCase()} `) ? title.slice(verb.length + 1) : title;
	return {verb, subject: fileIn(subject, call, folder) ?? (subject === verb ? '' : subject)};
}

/** Returns the only file that a call names, as it is shown, if its title says no more than that, or than its kind of tool. */
function fileIn(subject: string, call: ExternalCall, folder: string): string | undefined {
	const [path, ...others] = pathsOf(call);
	if (path === undefined || others.length > 0 || !Object.hasOwn(verbs, call.kind)) {
		return undefined;
	}

	const isPath = subject.length > 1 && (path === subject || path.endsWith(`/${subject.replace(/^\/+/, '')}`));
	return isPath || /^[a-z_]*$/i.test(subject) ? shownPath(path, folder) : undefined;
}

/** True for a change of a file that is named. */
function isDiff(item: JsonObject): boolean {
	return item['type'] === 'diff' && textIn(item, 'path') !== undefined;
}

/** Returns the change of a file that a diff shows, whole and as it is recorded. One without an old text is a new file. */
function changeIn(diff: JsonObject, folder: string) {
	const path = textIn(diff, 'path') ?? '';
	const [before, after] = [textIn(diff, 'oldText') ?? '', textIn(diff, 'newText') ?? ''];
	return describeChange(shownPath(path, folder), before, after, isSecretFile(path));
}

/** Returns the exact change that a question is about, as the user sees it; undefined if it shows none, or several. */
export function exactChangeIn({content}: ExternalCall, folder: string): FileChange | undefined {
	const diffs = content.filter(({type}) => type === 'diff');
	const [diff] = diffs;
	return diff && isDiff(diff) && diffs.length === 1 ? changeIn(diff, folder).exact : undefined;
}

function shownPath(path: string, folder: string): string {
	const below = relative(folder, path);
	return below === '' || below.startsWith('..') ? path : below;
}

/** Returns the paths that a call names, in its places and its diffs. */
export function pathsOf({content, locations}: ExternalCall): readonly string[] {
	const ofDiffs = content.flatMap(item => (item['type'] === 'diff' ? (textIn(item, 'path') ?? '') : []));
	return [...new Set([...locations, ...ofDiffs])];
}

function textOf(content: readonly JsonObject[]): string {
	return content
		.flatMap(item => {
			switch (item['type']) {
				case 'content':
					return unfenced(textOfContent(item['content']));
				case 'diff':
				// It has none of ours to fill.
				case 'terminal':
					return [];
				default:
					return `[${cutText(wordsOfValue(item['type']), 40)}]`;
			}
		})
		.join('\n');
}

/** Returns a text without the code fence that agents put around outputs. */
function unfenced(text: string): string {
	return /^(`{3,})[^\n`]*\n([\s\S]*?)\n?\1\s*$/.exec(text)?.[2] ?? text;
}

/** Returns a value in words: text as it is, anything else as JSON. */
export function wordsOfValue(value: Json | undefined): string {
	return typeof value === 'string' ? value : `${JSON.stringify(value)}`;
}

/** Returns the text of a content block; one that is no text is named. */
function textOfContent(content: Json | undefined): string {
	if (!isJsonObject(content)) {
		return '';
	}

	const {type, text} = content;
	switch (type) {
		case 'text':
			return typeof text === 'string' ? text : '';
		case 'resource_link':
			return `[${textIn(content, 'name') ?? textIn(content, 'uri') ?? 'link'}](${textIn(content, 'uri') ?? ''})`;
		case 'resource': {
			const {resource} = content;
			const own = isJsonObject(resource) ? resource : {};
			const inner = textIn(own, 'text');
			return inner === undefined ? `[${textIn(own, 'uri') ?? 'resource'}]` : `${codeFence(inner)}\n`;
		}
		default:
			return `[${cutText(textIn(content, 'mimeType') ?? wordsOfValue(type), 40)}]`;
	}
}

/** Returns the output of a call: what it shows, else its raw output. */
function outputOf(content: readonly JsonObject[], raw: Json | undefined): string {
	return textOf(content) || rawText(raw);
}

function rawText(raw: Json | undefined): string {
	if (raw === undefined || raw === null) {
		return '';
	}

	const output = isJsonObject(raw) ? (raw['output'] ?? raw['stdout']) : undefined;
	const text = typeof raw === 'string' ? raw : typeof output === 'string' ? output : JSON.stringify(raw);
	return text === '{}' ? '' : text;
}

function imagesIn(content: readonly JsonObject[]): readonly string[] {
	return content.flatMap(({type, content: inner}) =>
		type === 'content' && isJsonObject(inner) && inner['type'] === 'image' ? (textIn(inner, 'data') ?? []) : [],
	);
}

async function saveImages(data: readonly string[], {save, isSeen}: NonNullable<RunTools['images']>) {
	const [{readImage}, {imagesTo}] = await Promise.all([
		import('../images/read-image.ts'),
		import('../images/model-images.ts'),
	]);
	const shown: Parameters<typeof imagesTo>[0] = [];
	const keep = imagesTo(shown, {save, isSeen});
	for (const text of data.slice(0, 8)) {
		const image = readImage(Buffer.from(text, 'base64'));
		if (image && image !== 'damaged') {
			await keep(image).catch(() => false);
		}
	}

	return shown;
}
