import type {ToolDefinition} from '../../core/session/tool.ts';
import type {Transport} from '../../net/transport.ts';
import {type ChunkList, openChunks} from '../chunks.ts';
import type {ProviderEvent, ProviderRequest} from '../provider.ts';
import {type AnswerReader, readAnswer} from '../read-answer.ts';
import {applyRepairs} from './apply-repairs.ts';
import type {RefusalSearch} from './refusal-search.ts';
import {
	describeTool,
	isOfServer,
	type RefusalMemory,
	type Repair,
	type RepairedWire,
	type RepairNotice,
	type RequestDraft,
	refusalOf,
	type SentTool,
	toolKey,
} from './repair.ts';

/** By host and model, for each transport: another key may have other rights. Ends with the process. */
const memories = new WeakMap<Transport, Map<string, RefusalMemory>>();

function memoryOf({transport, baseUrl, model}: ProviderRequest): RefusalMemory {
	const ofTransport = memories.get(transport) ?? new Map<string, RefusalMemory>();
	memories.set(transport, ofTransport);
	const host = `${baseUrl}\n${model}`;
	const memory = ofTransport.get(host) ?? {
		repairs: [],
		suspects: [],
		accepted: new Set(),
		told: new Set(),
		unresolved: '',
	};
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
 * that no repair helped against, and any other failure at once. The reader gets the tools as the model saw them.
 */
export function askRepaired(
	request: ProviderRequest,
	wire: RepairedWire,
	createReader: (tools: readonly ToolDefinition[]) => AnswerReader,
): AsyncGenerator<ProviderEvent> {
	let tools: readonly SentTool[] = [];
	const open = async function* () {
		const {draft, chunks} = yield* openRepaired(request, wire);
		tools = draft.tools;
		return chunks;
	};
	return readAnswer(open, () => withRealNames(createReader(tools), tools));
}

type Opened = {readonly draft: RequestDraft; readonly chunks: AsyncIterable<ChunkList>};

async function* openRepaired(request: ProviderRequest, wire: RepairedWire): AsyncGenerator<ProviderEvent, Opened> {
	const memory = memoryOf(request);
	const {draft: given, unfit} = await draftOf(request, wire);
	yield* noticesOfUnfit(unfit, memory);
	let search: RefusalSearch | undefined;
	let isRefused = false;
	let trial = nextTrial(memory, given, wire);
	let trials = trial ? 1 : 0;
	let repairs = trial?.repairs ?? standing(memory);
	for (let count = 1; ; count += 1) {
		const {draft, call} = applyRepairs(given, repairs, wire.toCall);
		try {
			const sent = {...draft, messages: request.messages};
			const chunks = await beginning(await openChunks(sent, wire.vendor, call, wire.isWhole));
			accept(memory, draft);
			const notices = trial ? endTrial(memory, trial, 'accepted') : (search?.accepted() ?? []);
			yield* asWarnings(notices);
			return {draft, chunks};
		} catch (error) {
			const refusal = refusalOf(error);
			// A host that fails after it refused a part has not refused another one.
			if (!refusal || (isRefused && refusal.status >= 500)) {
				yield* asWarnings(search?.interrupted() ?? []);
				throw error;
			}

			isRefused ||= refusal.status < 500;
			if (trial) {
				yield* asWarnings(endTrial(memory, trial, 'refused'));
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

/** Restores what a request was accepted with. Of what is still refused, each half is suspect, and a single one known. */
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

/**
 * Returns the chunks of an answer from its first event on. Throws if that is a refusal: some hosts answer 200, and refuse
 * in the first event. Nothing was read by the model then, and nothing counted.
 */
async function beginning(lists: AsyncGenerator<ChunkList>): Promise<AsyncIterable<ChunkList>> {
	let first: Promise<IteratorResult<ChunkList>> | undefined = lists.next();
	const next = await first.catch(() => undefined);
	const {chunks = [], failure} = next && !next.done ? next.value : {};
	if (failure && chunks.length === 0 && refusalOf(failure.error)) {
		await lists.return(undefined);
		throw failure.error;
	}

	// Without a generator around the rest: each would cost a promise for every read of the network.
	const read = () => {
		const promise = first ?? lists.next();
		first = undefined;
		return promise;
	};
	return {[Symbol.asyncIterator]: () => ({next: read, return: () => lists.return(undefined)})};
}

/** Returns a request for repairs. Schemas of servers are made to fit the host; what does that is loaded with the first one. */
async function draftOf(
	request: ProviderRequest,
	{argumentName}: RepairedWire,
): Promise<{readonly draft: RequestDraft; readonly unfit: readonly ToolDefinition[]}> {
	const {tools, ...rest} = request;
	const {fitTool} = tools.some(isOfServer) ? await import('./fit-tool.ts') : {fitTool: ownTool};
	const fitted = tools.map(given => ({
		given,
		tool: isOfServer(given) ? fitTool(given, argumentName) : ownTool(given),
		isFallback: given.isFallback === true,
	}));
	const toolsOf = (isFallback: boolean) =>
		fitted.flatMap(({tool, isFallback: isOther}) => (tool && isOther === isFallback ? [tool] : []));
	return {
		draft: {...rest, tools: toolsOf(false), fallbackTools: toolsOf(true)},
		unfit: fitted.flatMap(({tool, given}) => (tool ? [] : [given])),
	};
}

const ownTools = new WeakMap<ToolDefinition, SentTool>();

/** Returns a tool of ours, whose schema every host takes. */
function ownTool(given: ToolDefinition): SentTool | undefined {
	const {name, description, parameters} = given;
	const tool = ownTools.get(given) ?? {name, description, parameters, given};
	ownTools.set(given, tool);
	return tool;
}

function asWarnings(notices: readonly RepairNotice[]): readonly ProviderEvent[] {
	return notices.map(notice => ({type: 'notice', level: 'warning', ...notice}));
}

/** Yields a notice for each tool that no host takes, once. */
function* noticesOfUnfit(unfit: readonly ToolDefinition[], {told}: RefusalMemory) {
	for (const tool of unfit) {
		if (!told.has(toolKey(tool))) {
			told.add(toolKey(tool));
			const text = `${describeTool(tool).replace(/^t/, 'T')} is left out: its arguments are described at too great length.`;
			yield {type: 'notice', level: 'warning', text} as const;
		}
	}
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
			? {...event, name: given.name, arguments: argumentNames.toReal(event.arguments)}
			: ({...event, name: given.name} as ProviderEvent);
	};
	return {
		...reader,
		read: (chunk, add) => reader.read(chunk, event => add(real(event))),
		end: add => reader.end(event => add(real(event))),
	};
}
