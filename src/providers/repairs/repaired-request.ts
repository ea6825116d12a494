import type {JsonObject} from '../../core/json.ts';
import type {ToolDefinition} from '../../core/session/tool.ts';
import type {Transport} from '../../net/transport.ts';
import {type Chunk, openChunks} from '../chunks.ts';
import {refusalOf} from '../failure.ts';
import type {ProviderEvent, ProviderRequest} from '../provider.ts';
import {type AnswerReader, readAnswer} from '../read-answer.ts';
import {realArguments, renameProperties} from '../schema/argument-names.ts';
import {fitSchema} from '../schema/fit-schema.ts';
import {applyRepairs} from './apply-repairs.ts';
import type {RefusalSearch} from './refusal-search.ts';
import {
	type RefusalMemory,
	type Repair,
	type RepairedWire,
	type RequestDraft,
	type SentTool,
	toolKey,
} from './repair.ts';

/** By host and model, for each transport: another key may have other rights. Ends with the process. */
const memories = new WeakMap<Transport, Map<string, RefusalMemory>>();

function memoryOf({transport, baseUrl, model}: ProviderRequest): RefusalMemory {
	const ofTransport = memories.get(transport) ?? new Map<string, RefusalMemory>();
	memories.set(transport, ofTransport);
	const host = `${baseUrl}\n${model}`;
	const memory = ofTransport.get(host) ?? {repairs: [], suspects: [], accepted: new Set(), unresolved: ''};
	ofTransport.set(host, memory);
	return memory;
}

/** Most requests for one answer. All but the last one are refused, and a refusal costs nothing. */
export const maxRequests = 32;
/** Most attempts for one answer to do with fewer repairs. */
const maxTrials = 2;

/**
 * Asks a host, and yields its answer. If the host refuses a part of the request, the part is repaired or left out, the user
 * is told, and the request is sent again, at most `maxRequests` times; what helped holds for later requests to the host and
 * model. That isn't a retry: no request is sent twice, and none after an answer has begun. Throws what the host said first
 * that no repair helped against, and any other failure at once.
 */
export function askRepaired(
	request: ProviderRequest,
	wire: RepairedWire,
	createReader: () => AnswerReader,
): AsyncGenerator<ProviderEvent> {
	let sent: RequestDraft | undefined;
	const open = async function* () {
		const opened = yield* openRepaired(request, wire);
		sent = opened.draft;
		return opened.chunks;
	};
	return readAnswer(open, () => withRealNames(createReader(), sent?.tools ?? []));
}

type Opened = {readonly draft: RequestDraft; readonly chunks: AsyncIterable<Iterable<Chunk>>};

async function* openRepaired(request: ProviderRequest, wire: RepairedWire): AsyncGenerator<ProviderEvent, Opened> {
	const memory = memoryOf(request);
	const given = draftOf(request, wire);
	let search: RefusalSearch | undefined;
	let trial = nextTrial(memory, given, wire);
	let trials = trial ? 1 : 0;
	let repairs = trial?.repairs ?? standing(memory);
	for (let count = 1; ; count += 1) {
		const {draft, call} = applyRepairs(given, repairs, wire.toCall);
		try {
			const chunks = await openChunks({...draft, messages: request.messages}, wire.vendor, call);
			accept(memory, draft);
			const notices = trial ? endTrial(memory, trial, 'accepted') : (search?.accepted() ?? []);
			for (const notice of notices) {
				yield {type: 'notice', level: 'warning', ...notice};
			}

			return {draft, chunks: learning(chunks, {memory, given, wire, body: call.body})};
		} catch (error) {
			const refusal = refusalOf(error);
			if (!refusal) {
				search?.interrupted();
				throw error;
			}

			if (trial) {
				for (const notice of endTrial(memory, trial, 'refused')) {
					yield {type: 'notice', level: 'warning', ...notice};
				}

				trial = trials < maxTrials ? nextTrial(memory, given, wire) : undefined;
				trials += 1;
				repairs = trial?.repairs ?? standing(memory);
				continue;
			}

			if (!search) {
				const {createRefusalSearch} = await import('./refusal-search.ts');
				search = createRefusalSearch(given, wire, memory);
			}

			const next = count < maxRequests ? search.next({error, refusal, draft, body: call.body}) : undefined;
			if (!next) {
				throw search.failure(error);
			}

			repairs = next;
		}
	}
}

const standing = ({repairs, suspects}: RefusalMemory): readonly Repair[] => [...repairs, ...suspects.flat()];

function accept(memory: RefusalMemory, {tools, messages}: RequestDraft): void {
	memory.unresolved = '';
	for (const {given} of tools) {
		memory.accepted.add(toolKey(given));
	}

	for (const message of messages) {
		for (const {hash, data} of message.role === 'assistant' ? [] : (message.images ?? [])) {
			if (data !== undefined) {
				memory.accepted.add(hash);
			}
		}
	}
}

/** An attempt without the last group of suspects. */
type Trial = {readonly group: readonly Repair[]; readonly repairs: readonly Repair[]};

/** Returns the next trial. Suspects that change nothing in this request wait for another one. */
function nextTrial(memory: RefusalMemory, given: RequestDraft, wire: RepairedWire): Trial | undefined {
	const all = standing(memory);
	const bodyWith = (repairs: readonly Repair[]) => JSON.stringify(applyRepairs(given, repairs, wire.toCall).call.body);
	const full = memory.suspects.length > 0 ? bodyWith(all) : '';
	for (const group of memory.suspects.toReversed()) {
		const repairs = all.filter(repair => !group.includes(repair));
		if (bodyWith(repairs) !== full) {
			return {group, repairs};
		}
	}

	return undefined;
}

/** Takes back what a request was accepted without. Of what is still refused, each half is suspect, and a single one known. */
function endTrial(memory: RefusalMemory, {group}: Trial, outcome: 'accepted' | 'refused') {
	const others = memory.suspects.filter(other => other !== group);
	const [only, ...more] = group;
	if (outcome === 'accepted' || !only) {
		memory.suspects = others;
		return [];
	}

	if (more.length > 0) {
		const half = Math.ceil(group.length / 2);
		memory.suspects = [...others, group.slice(0, half), group.slice(half)];
		return [];
	}

	memory.suspects = others;
	memory.repairs = [...memory.repairs, only];
	return only.what ? [{text: `The host refuses ${only.what}. It stays left out.`}] : [];
}

type LearningPlace = {
	readonly memory: RefusalMemory;
	readonly given: RequestDraft;
	readonly wire: RepairedWire;
	readonly body: JsonObject;
};

/**
 * Yields the chunks of an answer. Some hosts answer 200 and refuse in the first event. That request may have cost something,
 * so it isn't sent again: the next one has the repair, and the error says so.
 */
async function* learning(
	lists: AsyncIterable<Iterable<Chunk>>,
	{memory, given, wire, body}: LearningPlace,
): AsyncGenerator<Iterable<Chunk>> {
	const source = lists[Symbol.asyncIterator]();
	try {
		const first = await source.next();
		if (first.done) {
			return;
		}

		let isBegun = false;
		let failure: unknown;
		const chunks: Chunk[] = [];
		try {
			for (const chunk of first.value) {
				chunks.push(chunk);
				isBegun = true;
			}
		} catch (error) {
			failure = error;
		}

		const refusal = !isBegun && failure ? refusalOf(failure) : undefined;
		if (refusal) {
			const {createRefusalSearch} = await import('./refusal-search.ts');
			const search = createRefusalSearch(given, wire, memory);
			throw search.learned({error: failure, refusal, draft: given, body});
		}

		yield failure ? failing(chunks, failure) : chunks;
		for (let next = await source.next(); !next.done; next = await source.next()) {
			yield next.value;
		}
	} finally {
		await source.return?.();
	}
}

function* failing(chunks: readonly Chunk[], failure: unknown): Generator<Chunk> {
	yield* chunks;
	throw failure;
}

/** Most characters of the schema of one tool. */
const maxSchemaLength = 200_000;

const fittedTools = new WeakMap<ToolDefinition, Map<RegExp | undefined, SentTool | undefined>>();

/** Returns a tool whose schema fits all hosts of a wire format; undefined for one that is too large for any. */
function fitTool(given: ToolDefinition, argumentName: RegExp | undefined): SentTool | undefined {
	const known = fittedTools.get(given) ?? new Map<RegExp | undefined, SentTool | undefined>();
	fittedTools.set(given, known);
	if (!known.has(argumentName)) {
		const {name, description, parameters} = given;
		const fitted = fitSchema(parameters);
		const renamed = argumentName && renameProperties(fitted, argumentName);
		const schema = renamed?.schema ?? fitted;
		const isTooLarge = JSON.stringify(schema).length > maxSchemaLength;
		const tool = {name, description, parameters: schema, given, argumentNames: renamed?.names};
		known.set(argumentName, isTooLarge ? undefined : tool);
	}

	return known.get(argumentName);
}

function draftOf(request: ProviderRequest, {argumentName}: RepairedWire): RequestDraft {
	const {tools, ...rest} = request;
	const toolsOf = (isFallback: boolean) =>
		tools.filter(tool => (tool.isFallback === true) === isFallback).flatMap(tool => fitTool(tool, argumentName) ?? []);
	return {...rest, tools: toolsOf(false), fallbackTools: toolsOf(true)};
}

/** Returns a reader whose calls have the real names of tools and arguments, so that nothing else sees those of the host. */
function withRealNames(reader: AnswerReader, tools: readonly SentTool[]): AnswerReader {
	const renamed = new Map(
		tools.filter(({name, given, argumentNames}) => argumentNames || name !== given.name).map(tool => [tool.name, tool]),
	);
	if (renamed.size === 0) {
		return reader;
	}

	const real = (event: ProviderEvent): ProviderEvent => {
		const tool = event.type === 'tool-call' || event.type === 'tool-call-delta' ? renamed.get(event.name) : undefined;
		if (!tool) {
			return event;
		}

		const {given, argumentNames} = tool;
		return event.type === 'tool-call' && argumentNames
			? {...event, name: given.name, arguments: realArguments(event.arguments, argumentNames)}
			: ({...event, name: given.name} as ProviderEvent);
	};
	return {
		...reader,
		*read(chunk) {
			for (const event of reader.read(chunk)) {
				yield real(event);
			}
		},
		*end() {
			for (const event of reader.end()) {
				yield real(event);
			}
		},
	};
}
