import type {JsonObject} from '../../core/json.ts';
import {isOfAccount} from '../failure-codes.ts';
import {applyRepairs} from './apply-repairs.ts';
import {
	callsAsText,
	endWithUser,
	instructionsInMessage,
	mediaOf,
	newestMessageOnly,
	noEmptyMessages,
	withoutMedia,
} from './message-repairs.ts';
import {refusalWords, repairsFor, toRepair} from './refusal-table.ts';
import {
	type HostRefusal,
	isOfServer,
	noticeOf,
	type RefusalMemory,
	type Repair,
	type RepairedWire,
	type RepairNotice,
	type RequestDraft,
	toolKey,
} from './repair.ts';
import {plainArguments, plainToolNames, withoutTool, withoutTools} from './tool-repairs.ts';

type Refused = {
	readonly error: unknown;
	readonly refusal: HostRefusal;
	readonly draft: RequestDraft;
	readonly body: JsonObject;
};

/** Looks for the repairs with which a host accepts one request. */
export type RefusalSearch = {
	/** Returns the repairs to send the request with after a refusal; undefined if there is nothing left to try. */
	readonly next: (refused: Refused) => readonly Repair[] | undefined;
	/** Keeps what the request was accepted with. Returns what the user is told. */
	readonly accepted: () => readonly RepairNotice[];
	/** Keeps what has helped so far: the last request failed for another reason than its parts. Returns what the user is told. */
	readonly interrupted: () => readonly RepairNotice[];
	/** Returns the error for the user when nothing helped. Nothing is kept: an outage may look like a refusal. */
	readonly failure: (last: unknown) => unknown;
};

/** Most repairs that are tried because of the words of refusals. */
const maxByWords = 14;

/**
 * Creates the search. It begins with the table of repairs, as long as each one changes what the host says. If nobody knows
 * the words, it leaves out kinds of parts: first each kind alone, then more and more of them. Each step is one request, and
 * their number doesn't depend on that of the parts.
 */
export function createRefusalSearch(given: RequestDraft, wire: RepairedWire, memory: RefusalMemory): RefusalSearch {
	const base: readonly Repair[] = [...memory.repairs, ...memory.suspects.flat()];
	const tried = new Set(base.map(({id}) => id));
	const kept: Repair[] = [];
	let isChecked = true;
	let lastWords = '';
	let lastStatus = 0;
	let attempts = 0;
	let first: unknown;
	let blind: Iterator<readonly (readonly Repair[])[]> | undefined;
	let groups: readonly (readonly Repair[])[] = [];

	/** The bodies that were refused: none is sent again. */
	const refused = new Set<string>();
	const bodyWith = (repairs: readonly Repair[]) => JSON.stringify(applyRepairs(given, repairs, wire.toCall).call.body);
	const changes = (repair: Repair) => bodyWith([...base, ...kept]) !== bodyWith([...base, ...kept, repair]);

	const byWords = ({refusal, draft, body}: Refused): Repair | undefined => {
		const words = refusalWords(refusal.text);
		const same = wordsWithoutIds(words);
		if (!isChecked && same === lastWords) {
			// It changed nothing for the host.
			kept.pop();
		}

		lastWords = same;
		isChecked = true;
		const request = {
			refusal: {...refusal, text: words},
			draft,
			body,
			wire,
			wasAccepted: (key: string) => memory.accepted.has(key),
		};
		const found =
			attempts < maxByWords
				? repairsFor(request).find(
						repair => !tried.has(repair.id) && !refused.has(bodyWith([...base, ...kept, repair])),
					)
				: undefined;
		return found;
	};

	const told = (repairs: readonly Repair[]) => repairs.flatMap(repair => noticeOf(repair, wire.vendor) ?? []);

	const keep = (repair: Repair) => {
		attempts += 1;
		tried.add(repair.id);
		kept.push(repair);
		isChecked = false;
	};

	const nextBlind = (last: Refused): readonly Repair[] | undefined => {
		first ??= last.error;
		blind ??= blindSteps(given, {wire, memory, refused: last, isNew: changes});
		for (let step = blind.next(); !step.done; step = blind.next()) {
			const repairs = [...base, ...kept, ...step.value.flat()];
			if (!refused.has(bodyWith(repairs))) {
				groups = step.value;
				return repairs;
			}
		}

		return undefined;
	};

	return {
		next(last) {
			refused.add(JSON.stringify(last.body));
			lastStatus = last.refusal.status;
			const repair = blind ? undefined : byWords(last);
			if (repair) {
				keep(repair);
				return [...base, ...kept];
			}

			return nextBlind(last);
		},
		accepted() {
			const [group, ...others] = groups;
			// A single change since the refusal is its cause, unless the host was only out of order.
			const isCertain = groups.flat().length === 1 && lastStatus < 500;
			const sure = isCertain ? [...kept, ...groups.flat()] : kept;
			memory.repairs = [...memory.repairs, ...sure];
			if (group && !isCertain) {
				// What was left out last is what the host refused; the rest may only have been there.
				memory.suspects = [...memory.suspects, group, ...(others.length > 0 ? [others.flat()] : [])];
			}

			return [...told(sure), ...(group && !isCertain ? [blindNotice(groups.flat(), wire)] : [])];
		},
		interrupted() {
			memory.repairs = [...memory.repairs, ...kept];
			return told(kept);
		},
		failure(last) {
			memory.unresolved = lastWords;
			return first ?? last;
		},
	};
}

/** Returns the words of a refusal without ids and times, which differ each time. */
function wordsWithoutIds(words: string): string {
	return words.replace(/(?=[\w-]*\d)(?=[\w-]*[a-zA-Z-])[\w-]{12,}|\d{6,}/g, '').slice(0, 2000);
}

type BlindOptions = {
	readonly wire: RepairedWire;
	readonly memory: RefusalMemory;
	readonly refused: Refused;
	readonly isNew: (repair: Repair) => boolean;
};

/** Most characters of a conversation that only its length can't be the reason for a refusal of. */
const maxShort = 64_000;

/** Yields what to leave out, in groups, because nobody knows what a host refuses. */
function* blindSteps(given: RequestDraft, options: BlindOptions): Generator<readonly (readonly Repair[])[]> {
	const {refused, isNew, memory} = options;
	const {status} = refused.refusal;
	const media = kindsOf(given, options).media;
	if (status === 413 || status >= 500) {
		const isUnknown = mediaOf(given).some(({hash}) => !memory.accepted.has(hash));
		const isLarge = mediaOf(given).reduce((sum, {data = ''}) => sum + data.length, 0) > 200_000;
		if (status === 500 ? isUnknown : status === 413 && isLarge) {
			yield [media];
		}

		return;
	}

	if (!mayBePart(refused)) {
		return;
	}

	const {plain, servers, fields, order, calls, history} = kindsOf(given, options);
	const kinds = [plain, servers, media, fields, order, calls]
		.map(kind => kind.filter(isNew))
		.filter(kind => kind.length > 0);
	for (const kind of kinds) {
		yield [kind];
	}

	for (let count = 2; count <= kinds.length; count += 1) {
		yield kinds.slice(0, count).toReversed();
	}

	if (history.some(isNew)) {
		yield [history, ...kinds.toReversed()];
	}
}

/** Returns the kinds of parts that may be refused. What the host took before isn't suspected the first time. */
function kindsOf(given: RequestDraft, {wire, memory, refused}: Omit<BlindOptions, 'isNew'>) {
	const {model, tools} = given;
	const words = wordsWithoutIds(refusalWords(refused.refusal.text));
	const isRepeated = memory.unresolved !== '' && memory.unresolved === words;
	const isLong = JSON.stringify(given.messages, withoutData).length > maxShort;
	const isSuspect = (key: string) => isRepeated || !memory.accepted.has(key);
	const areToolsSuspect = tools.some(({given: tool}) => isSuspect(toolKey(tool)));
	const ofServers = tools.filter(tool => isOfServer(tool.given) && isSuspect(toolKey(tool.given)));
	const [order, fields] = [true, false].map(isOrder =>
		wire.bodyRepairs.filter(repair => (repair.isOrder ?? false) === isOrder).map(repair => toRepair(repair, model)),
	);
	return {
		plain: areToolsSuspect ? [plainArguments('all', undefined), plainToolNames(64)] : [],
		servers: ofServers.map(withoutTool),
		media: mediaOf(given).some(({hash}) => isSuspect(hash)) ? [withoutMedia('media', model)] : [],
		fields: [...(fields ?? []), bareBody],
		order: [endWithUser, noEmptyMessages, ...(order ?? [])],
		// A long conversation that is refused without a word is too long rather than wrong.
		calls:
			isLong && !isRepeated && (refused.refusal.text.trim() === '' || !areToolsSuspect)
				? []
				: [
						...(areToolsSuspect || isRepeated ? [withoutTools(model)] : []),
						callsAsText,
						instructionsInMessage,
						...(order ?? []),
					],
		history: isLong && !isRepeated ? [] : [newestMessageOnly],
	};
}

const needed: ReadonlySet<string> = new Set([
	'model',
	'stream',
	'messages',
	'input',
	'contents',
	'tools',
	'system',
	'instructions',
	'systemInstruction',
]);
/** An answer of so many tokens is what every model can give. */
const modestLimit = 4096;

/** Leaves out every field that a request can do without. */
const bareBody: Repair = {
	id: 'bare body',
	what: 'optional fields',
	inBody(body) {
		const {max_tokens: limit} = body;
		const entries = Object.entries(body).filter(([name]) => needed.has(name));
		const limited = typeof limit === 'number' && {max_tokens: Math.min(limit, modestLimit)};
		return {...Object.fromEntries(entries), ...limited};
	},
};

/** Images in base64 say nothing of the length of a conversation. */
function withoutData(key: string, value: unknown): unknown {
	return key === 'data' ? undefined : value;
}

/** True unless a refusal is about the model, the account or what may be said: leaving something out doesn't help there. */
function mayBePart({refusal: {status, text}}: Refused): boolean {
	return /^(?:400|406|415|422)$/.test(String(status)) && !isOfAccount(refusalWords(text));
}

function blindNotice(repairs: readonly Repair[], {vendor: {label}}: RepairedWire): RepairNotice {
	const all = [...new Set(repairs.filter(({notice}) => notice !== 'silent').map(({what}) => what))];
	const tools = all.filter(what => what.startsWith('the tool '));
	const others = all.filter(what => !what.startsWith('the tool '));
	const named = [...(tools.length > 3 ? [`${tools.length} tools of MCP servers`] : tools), ...others].join(', ');
	return {
		text: `${label} refused the request and didn't say what. It answers without ${named || 'some details'}.`,
		hint: 'The next requests find out which part it is.',
	};
}
