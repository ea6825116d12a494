import {isUtf8} from 'node:buffer';
import {codeFence} from '../../core/code-fence.ts';
import {AppError} from '../../core/error.ts';
import {formatAmount, formatBytes} from '../../core/format.ts';
import type {ToolContext} from '../../core/session/tool.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import {cutResult} from '../answer-call.ts';
import {announcedType} from '../images/read-image.ts';
import {showImage} from '../images/show-image.ts';
import type {MentionSource} from '../mentions/read-mentions.ts';
import {type ConfiguredServer, idOf} from './configured-servers.ts';
import type {Completion, ListedResource, McpConnection, ResourceContent} from './connection.ts';
import type {ServerEntry} from './server-entry.ts';

/** A resource of a server as completion shows it. */
export type ServerResource = Pick<ListedResource, 'uri' | 'isTemplate'> & {readonly summary: string};

/** The resources of a server; undefined before they are listed. */
export type ServerResources = {readonly server: string; readonly resources?: readonly ServerResource[]};

type Options = {
	/** Creates and ends servers by the files. Returns all that are configured. */
	readonly reconcile: () => Promise<readonly ConfiguredServer[]>;
	/** Returns a server that is used. */
	readonly entryOf: (id: string) => ServerEntry | undefined;
	readonly ids: () => readonly string[];
	/** Masks credentials. */
	readonly hide: (text: string) => string;
};

/** Most resources of a server that are offered, most characters of a URI and a summary, most parts of a resource. */
const maxResources = 1000;
const maxTemplates = 100;
const maxUri = 1000;
const maxSummary = 120;
const maxParts = 20;
/** Most bytes of a resource that is read. */
const maxBytes = 4 * 1024 * 1024;
/** Kinds of mentions that no server takes over. */
const reserved: readonly string[] = ['log', 'image'];

/** Creates what reads and suggests resources of the servers. Only servers that are used are asked: those that are trusted. */
export function createResources({reconcile, entryOf, ids, hide}: Options) {
	const source: MentionSource = {
		async read(name, context, lines) {
			const [, typed = '', uri = ''] = /^([^:]+):(.+)$/s.exec(name) ?? [];
			const id = idOf(typed);
			const found = typed && !reserved.includes(id) ? (await reconcile()).filter(each => each.id === id) : [];
			const entry = entryOf(id);
			const [unused] = found;
			if (!entry && unused) {
				throw new AppError('failed', `The MCP server ${unused.server.name} is not used: ${unused.unused}.`);
			}

			if (!entry || found.length === 0) {
				return undefined;
			}

			entry.server.start();
			const {signal, onImage} = context;
			const wanted = lines ? await withLines(entry, uri, lines, signal) : {uri};
			return readResource(entry, wanted, {signal, hide, ...(onImage && {onImage})});
		},
	};
	const lists = new WeakMap<ServerEntry, readonly ListedResource[]>();
	return {
		source,
		async suggest(query: string, signal: AbortSignal): Promise<readonly ServerResources[]> {
			await reconcile();
			const [, typed, uri = ''] = /^([^:]+):(.*)$/s.exec(query) ?? [];
			const entry = typed === undefined ? undefined : entryOf(typed);
			const running = ids().filter(id => entryOf(id)?.server.state().state === 'ready' && !reserved.includes(id));
			if (!entry || typed === undefined || reserved.includes(typed)) {
				return running.map(server => ({server}));
			}

			entry.server.start();
			const listed = await listedFor(entry, uri, lists, signal);
			const open = openTemplates(listed, uri);
			const connection = entry.server.connection();
			const completed = open.length > 0 && connection ? await completeTemplates(connection, open, signal) : [];
			const all = [...completed.filter(isUsable), ...listed];
			return [{server: typed, resources: all.map(each => shown({...each, about: hide(each.about)}))}];
		},
	};
}

/** Returns the resources and templates of a server. They are listed once while a variable of one of them is typed. */
async function listedFor(
	entry: ServerEntry,
	uri: string,
	lists: WeakMap<ServerEntry, readonly ListedResource[]>,
	signal: AbortSignal,
): Promise<readonly ListedResource[]> {
	const before = lists.get(entry);
	if (before && openTemplates(before, uri).length > 0) {
		return before;
	}

	const usable = (await entry.server.resources(signal).catch(() => [])).filter(isUsable);
	signal.throwIfAborted();
	// Many resources leave room for the templates, which come last.
	const templates = usable.filter(({isTemplate}) => isTemplate).slice(0, maxTemplates);
	const whole = usable.filter(({isTemplate}) => !isTemplate).slice(0, maxResources - templates.length);
	const listed = [...whole, ...templates];
	lists.set(entry, listed);
	return listed;
}

function openTemplates(listed: readonly ListedResource[], uri: string) {
	return listed.flatMap(each => openTemplate(each, uri) ?? []);
}

function isUsable({uri}: ListedResource): boolean {
	return uri.length > 0 && uri.length <= maxUri && !/\p{C}/u.test(uri);
}

function shown({uri, about, isTemplate}: ListedResource): ServerResource {
	const line = safeLine(about.slice(0, 4 * maxSummary))
		.replace(/\s+/g, ' ')
		.trim();
	return {uri, isTemplate, summary: line.length > maxSummary ? `${line.slice(0, maxSummary - 1)}…` : line};
}

type Wanted = {readonly uri: string; readonly lines?: NonNullable<Lines>};
type Lines = Parameters<MentionSource['read']>[2];

/** Numbers at the end are lines, unless a resource has them in its URI, as a port. */
async function withLines(
	entry: ServerEntry,
	uri: string,
	lines: NonNullable<Lines>,
	signal: AbortSignal,
): Promise<Wanted> {
	const {first, last} = lines;
	const whole = [`${uri}:${first}-${last}`, ...(first === last ? [`${uri}:${first}`] : [])];
	const listed = await entry.server.resources(signal);
	const known = listed.find(each => whole.includes(each.uri));
	return known ? {uri: known.uri} : {uri, lines};
}

type Reading = Pick<ToolContext, 'onImage' | 'signal'> & {readonly hide: Options['hide']};

async function readResource({configured, server}: ServerEntry, {uri, lines}: Wanted, {hide, ...context}: Reading) {
	const contents = await server.readResource(uri, context.signal);
	const name = `${configured.id}:${uri}`;
	const bytes = contents.reduce((sum, each) => sum + ('text' in each ? each.text : each.blob).length, 0);
	if (contents.length === 0 || bytes > maxBytes) {
		const why =
			bytes > maxBytes ? `is too large: ${formatBytes(bytes)} of at most ${formatBytes(maxBytes)}` : 'is empty';
		throw new AppError('failed', `The resource ${why}.`);
	}

	const parts: string[] = [];
	for (const content of contents.slice(0, maxParts)) {
		const text = await textOf(content, context).catch(error => noteOf(error, contents.length > 1));
		parts.push(content.uri === uri ? text : `${content.uri}:\n${text}`);
	}

	const left = contents.length - parts.length;
	// A credential must be masked before a cut could halve it.
	const whole = hide([...parts, ...(left > 0 ? [`[${left} more parts are left out]`] : [])].join('\n'));
	return attachmentOf(name, whole, lines);
}

/** Returns the text of a part that can't be read, where there are others. */
function noteOf(error: unknown, hasOthers: boolean): string {
	if (error instanceof AppError && hasOthers) {
		return `[${error.message}]`;
	}

	throw error;
}

/** Returns a part as text; an image is shown to the model. Throws AppError("failed") for what the model can't read. */
async function textOf(content: ResourceContent, {onImage}: Pick<ToolContext, 'onImage'>): Promise<string> {
	if ('text' in content) {
		return content.text;
	}

	const bytes = Buffer.from(content.blob, 'base64');
	const size = formatBytes(bytes.length);
	const type = announcedType(bytes);
	if (type === undefined) {
		if (isUtf8(bytes) && !bytes.includes(0)) {
			return bytes.toString('utf8');
		}

		throw new AppError('failed', `The resource is binary (${size}). Only text, images and PDFs can be attached.`);
	}

	let isSeen = false;
	const text = await showImage(bytes, 'resource', {
		async onImage(image) {
			isSeen = (await onImage?.(image)) ?? false;
			return isSeen;
		},
	});
	if (!isSeen || text === undefined) {
		const what = type === 'application/pdf' ? 'a PDF' : 'an image';
		throw new AppError('failed', `The resource is ${what} (${size}), which this model can't read.`);
	}

	return text;
}

function attachmentOf(name: string, whole: string, lines: Lines) {
	const all = whole.replace(/\n$/, '').split('\n');
	if (lines && lines.first > all.length) {
		throw new AppError('failed', `The resource has only ${formatAmount(all.length, 'line')}.`);
	}

	const shownLines = lines ? all.slice(lines.first - 1, lines.last) : all;
	const place = lines ? `${name}:${lines.first}-${lines.first + shownLines.length - 1}` : name;
	const text = cutResult(shownLines.join('\n'), 'Ask the user to mention lines of it, as `:1-200` behind its name.');
	return {
		source: 'resource' as const,
		name: place,
		lines: shownLines.length,
		text: `[The user attached the resource ${place} of an MCP server:]\n\n${codeFence(text)}`,
	};
}

/** Most templates that are completed at once, and most values of each. */
const maxCompleted = 3;
const maxValues = 50;
/** How long a server may take for one value. */
const timeoutMs = 3000;

type Part = {readonly literal: string} | {readonly variable: string; readonly isReserved: boolean};

/** A template whose variable is being typed. */
type OpenTemplate = Completion & {
	/** What is typed before the value. */
	readonly before: string;
	/** The template behind the variable. */
	readonly after: string;
	/** True if the value may have characters such as `/`. */
	readonly isReserved: boolean;
	readonly about: string;
};

/** Returns the parts of a template with variables such as `{name}` and `{+path}`; undefined for other ones (RFC 6570). */
function partsOf(template: string): readonly Part[] | undefined {
	const parts = template.split(/(\{\+?[\w.]+\})/).filter(Boolean);
	const read = parts.map((text): Part => {
		const [, plus = '', variable] = /^\{(\+?)([\w.]+)\}$/.exec(text) ?? [];
		return variable === undefined ? {literal: text} : {variable, isReserved: plus === '+'};
	});
	return read.some(part => 'literal' in part && /[{}]/.test(part.literal)) ? undefined : read;
}

/** Returns a template with the variable that the user types; undefined if they don't type one of it. */
export function openTemplate({uri, about, isTemplate}: ListedResource, typed: string): OpenTemplate | undefined {
	const parts = isTemplate ? partsOf(uri) : undefined;
	const known: Record<string, string> = Object.create(null);
	let at = 0;
	for (const [index, part] of (parts ?? []).entries()) {
		if ('literal' in part) {
			if (!typed.startsWith(part.literal, at)) {
				return undefined;
			}

			at += part.literal.length;
			continue;
		}

		const next = parts?.[index + 1];
		const end = next && 'literal' in next ? typed.indexOf(next.literal, at) : -1;
		if (end === -1) {
			const after = (parts ?? [])
				.slice(index + 1)
				.map(sourceOf)
				.join('');
			const [before, value] = [typed.slice(0, at), decoded(typed.slice(at))];
			return {template: uri, name: part.variable, value, known, before, after, isReserved: part.isReserved, about};
		}

		known[part.variable] = decoded(typed.slice(at, end));
		at = end;
	}

	return undefined;
}

function sourceOf(part: Part): string {
	return 'literal' in part ? part.literal : `{${part.isReserved ? '+' : ''}${part.variable}}`;
}

function decoded(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

/**
 * Returns the resources that the server proposes for what is typed, each a template if it has more variables. Never throws but
 * the signal's reason: a server that fails or takes long proposes nothing.
 */
export async function completeTemplates(
	{complete}: Pick<McpConnection, 'complete'>,
	open: readonly OpenTemplate[],
	signal: AbortSignal,
): Promise<readonly ListedResource[]> {
	const until = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
	const found = await Promise.all(
		open.slice(0, maxCompleted).map(async template => {
			const values = await complete(template, until).catch(() => []);
			return values.slice(0, maxValues).map(value => {
				// A lone half of a character has no encoding.
				const whole = value.replace(/\p{Cs}/gu, '\uFFFD');
				const encoded = template.isReserved ? encodeURI(whole) : encodeURIComponent(whole);
				const uri = `${template.before}${encoded}${template.after}`;
				return {uri, about: template.about, isTemplate: template.after.includes('{')};
			});
		}),
	);
	signal.throwIfAborted();
	return found.flat();
}
