import {realpath, stat} from 'node:fs/promises';
import {dirname, isAbsolute, join, relative, resolve, sep} from 'node:path';
import {codeFence} from '../../core/code-fence.ts';
import {AppError} from '../../core/error.ts';
import {assertLines, assertNoLines, findMentions, type Mention} from '../../core/mention.ts';
import type {ShownImage} from '../../core/session/event.ts';
import type {Tool, ToolContext} from '../../core/session/tool.ts';
import type {Attachment} from '../../core/session/user-events.ts';
import {cutResult} from '../answer-call.ts';
import {imagesTo, type ShownStore} from '../images/model-images.ts';
import {pathText, spellPath} from '../paths/path-text.ts';
import {refusal} from '../policy/rules/rule.ts';
import {isSecretFile} from '../policy/secret-files.ts';
import {tokensOf, tokensOfMessages} from '../request-usage.ts';

/** Reads mentions of one kind, such as `@log:web-shop`, or resources of MCP servers. */
export type MentionSource = {
	/**
	 * Returns what a name stands for, undefined if it is none of this source. Throws AppError with a message for the user and
	 * the model if it can't be read.
	 */
	readonly read: (
		name: string,
		context: ToolContext,
		lines?: Mention['lines'],
	) => Promise<Pick<Attachment, 'source' | 'name' | 'text' | 'lines' | 'images'> | undefined>;
};

/** What mentions may refer to. */
export type Mentions = {
	/** The logs that are open: `@log:` takes their names, and the first characters of their ids. */
	readonly logs: () => ReadonlyArray<{readonly environment: string; readonly title: string}>;
	/** Asked before files are. */
	readonly sources?: readonly MentionSource[];
	/** What `~` stands for. */
	readonly homeFolder?: string | undefined;
	/** Masks credentials, as in what is recorded. */
	readonly hide: (text: string) => string;
	/** Lets `hide` know the secrets of the working folder; called before anything is read. */
	readonly beforeReading?: () => Promise<void>;
};

type Reading = Mentions & {
	readonly tools: readonly Tool[];
	readonly context: ToolContext;
	/** Keeps the images that the model is shown; undefined if it sees none. */
	readonly images?: ShownStore | undefined;
};

/** Most mentions of a message that are read, and most characters of all of them. */
const maxMentions = 20;
const maxCharacters = 256 * 1024;
const logLines = 200;

/**
 * Reads what a message mentions, with the tools of the agent and under the same rules: secret files are asked about, and so
 * is everything outside the working folder. Yields what was attached or refused, in order, and a note for a path that
 * leads nowhere. Throws only the signal's reason.
 */
export async function* readMentions(text: string, reading: Reading): AsyncGenerator<Attachment | {note: string}> {
	const mentions = findMentions(text);
	let room = maxCharacters;
	let count = 0;
	for (const mention of mentions) {
		reading.context.signal.throwIfAborted();
		const found = await readOne(mention, reading).catch((error: unknown) => refused(mention, error, reading));
		if (found === undefined) {
			if (looksLikePath(mention.name)) {
				yield {note: `${shownName(mention.typed)} was not found. It stays text.`};
			}

			continue;
		}

		count++;
		if (count > maxMentions || found.text.length > room) {
			const limit = new AppError('usage', 'Too much is attached to one message.', {
				hint: 'Mention less, or lines of it.',
			});
			yield refused(mention, limit, reading);
			continue;
		}

		room -= found.text.length;
		yield found;
	}
}

type Found = Pick<Attachment, 'source' | 'name' | 'text' | 'lines' | 'images'>;

async function readOne(mention: Mention, reading: Reading): Promise<Attachment | undefined> {
	assertLines(mention);
	for (const {read} of reading.sources ?? []) {
		const images: ShownImage[] = [];
		const found = await read(mention.name, showingTo(images, reading), mention.lines);
		if (found) {
			assertSeen(found.images ?? [], reading);
			return finished({...found, ...(images.length > 0 && {images})}, reading);
		}
	}

	const found = /^log:./.test(mention.name) ? await readLog(mention, reading) : await readPath(mention, reading);
	return found && finished(found, reading);
}

/** Returns the context in which images are kept in `images`, if the model sees some. */
function showingTo(images: ShownImage[], {context, images: store}: Reading): ToolContext {
	return store ? {...context, onImage: imagesTo(images, store)} : context;
}

/** Throws AppError("failed") for images or PDFs that the model can't read: it may not be the one that was checked before. */
function assertSeen(shown: readonly Pick<ShownImage, 'type'>[], {images}: Reading): void {
	const unseen = shown.find(({type}) => !images?.isSeen(type));
	if (unseen) {
		throw new AppError('failed', `This model can't read ${unseen.type === 'application/pdf' ? 'PDFs' : 'images'}.`);
	}
}

/** Returns the context in which a file is attached: a model that can't read it isn't told that it is shown. */
function attachingTo(images: ShownImage[], reading: Reading, lines: Mention['lines']): ToolContext {
	const {onImage} = showingTo(images, reading);
	return {
		...reading.context,
		async onImage(image) {
			assertNoLines(lines, image.type === 'application/pdf' ? 'A PDF' : 'An image');
			assertSeen([image], reading);
			return (await onImage?.(image)) ?? false;
		},
	};
}

function finished(found: Found, {hide}: Reading): Attachment {
	const text = hide(found.text);
	const {images = []} = found;
	return {...found, name: hide(found.name), text, tokens: tokensOfMessages([{role: 'user', text, images}])};
}

/** Returns the answer for something that was not attached. The model has to know that it does not see it. */
function refused({typed}: Mention, error: unknown, {context, hide}: Reading): Attachment {
	context.signal.throwIfAborted();
	if (!(error instanceof AppError)) {
		throw error;
	}

	const reason = error.hint ? `${error.message} ${error.hint}` : error.message;
	const text = hide(`[${shownName(typed)} is not attached: ${reason}]`);
	return {source: 'none', name: hide(typed), text, tokens: tokensOf(text)};
}

/** True for what is probably meant as a path, unlike the name of a person or a decorator. */
function looksLikePath(name: string): boolean {
	return /[/\\]|^log:|\.\w{1,8}(?:$|\P{ASCII})/u.test(name);
}

function shownName(typed: string): string {
	return typed.length > 200 ? `${typed.slice(0, 199)}…` : typed;
}

async function readLog({name, lines}: Mention, reading: Reading): Promise<Found> {
	assertNoLines(lines, 'A log');
	const wanted = name.slice('log:'.length);
	const log = reading
		.logs()
		.find(({environment, title}) => title === wanted || environment.startsWith(wanted.toLowerCase()));
	const shown = `log:${log?.title || wanted}`;
	const output = await call('environment_logs', {environment: log?.environment ?? wanted, lines: logLines}, reading);
	return {
		source: 'log',
		name: shown,
		text: `[The user attached recent lines of ${shown}:]\n\n${output}`,
		lines: numbered(output),
	};
}

async function readPath({name, lines}: Mention, reading: Reading): Promise<Found | undefined> {
	const {context, homeFolder} = reading;
	const path = homeFolder !== undefined && /^~(?:\/|$)/.test(name) ? join(homeFolder, name.slice(1)) : name;
	const spelled = await spellPath(resolve(context.workspace, path));
	const real = await realpath(spelled.path).catch(() => undefined);
	const stats = real === undefined ? undefined : await stat(real).catch(() => undefined);
	if (real === undefined || !stats) {
		return undefined;
	}

	const isFolder = stats.isDirectory();
	if (isFolder) {
		assertNoLines(lines, 'A folder');
	}

	const below = relative(context.workspace, real);
	const isOutside = below === '..' || below.startsWith(`..${sep}`) || isAbsolute(below);
	const shown = pathText(isOutside ? real : below || '.') + (isFolder ? '/' : '');
	const allowed = isOutside ? await askOutside({real, shown, isFolder}, context) : context;
	const images: ShownImage[] = [];
	const within = {...reading, context: attachingTo(images, {...reading, context: allowed}, lines)};
	if (isFolder) {
		const output = await call('list_files', {path: real}, within);
		const text = `[The user attached the folder ${shown}. Its files:]\n\n${codeFence(output)}`;
		return {source: 'folder', name: shown, text, lines: output.split('\n').length};
	}

	const range = lines && {offset: lines.first, limit: lines.last - lines.first + 1};
	const output = await call('read_file', {path: real, ...range}, within);
	if (images.length > 0) {
		return {source: 'image', name: shown, text: `[The user attached ${output.slice(1)}`, images};
	}

	const place = lines ? `${shown}:${lines.first}-${lines.last}` : shown;
	const count = numbered(output);
	if (lines && count === 0) {
		throw new AppError('failed', `${output.replace(/^\[|\]$/g, '')}.`);
	}

	return {
		source: 'file',
		name: place,
		text: `[The user attached ${place}:]\n\n${codeFence(output)}`,
		...(count > 0 && {lines: count}),
	};
}

/** Runs a tool as the model does, and limits its result in the same way. */
async function call(name: string, args: Parameters<Tool['run']>[0], {tools, context}: Reading): Promise<string> {
	const tool = tools.find(each => each.name === name);
	if (!tool) {
		throw new AppError('failed', 'The agent may not read files here.');
	}

	return cutResult(await tool.run(args, context), tool.readOn);
}

/** Returns the number of lines that a result shows. */
function numbered(output: string): number {
	return output.match(/^\d+\t/gm)?.length ?? 0;
}

/** Asks for something outside the working folder. Returns the context in which the tools read it, and nothing else. */
async function askOutside(
	{real, shown, isFolder}: {readonly real: string; readonly shown: string; readonly isFolder: boolean},
	context: ToolContext,
): Promise<ToolContext> {
	const isSecret = !isFolder && isSecretFile(real);
	const permission = await context.approve({
		act: {kind: 'read-secret', path: real},
		summary: `Attach ${shown}? It is outside the working folder${isSecret ? ', and its name suggests secrets' : ''}.`,
		subject: `attach ${real}`,
	});
	if (!permission.allowed) {
		throw refusal('The user did not allow it.', permission.reason);
	}

	return {
		...context,
		workspace: isFolder ? real : dirname(real),
		...(isSecret && {approve: async () => ({allowed: true})}),
	};
}
