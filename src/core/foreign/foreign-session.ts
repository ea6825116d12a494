import type {AgentEvent} from '../session/event.ts';

/** A client whose conversations can go on here, as it is called on screen. */
export type ForeignClient = 'Claude Code' | 'Codex';

/** A line of a transcript: its JSON, or why it has none. */
export type ForeignLine = {readonly value: unknown} | {readonly fault: 'broken' | 'cut' | 'long' | 'deep'};

/** What of a transcript is not in the conversation as it was, by what it is. */
export type Remainder = {
	/** Left out. */
	readonly left: ReadonlyMap<string, number>;
	/** In the conversation as text. */
	readonly asText: ReadonlyMap<string, number>;
};

/** A conversation of another client, as events of ours. All texts are as they were found: untrusted, and not masked. */
export type ForeignSession = {
	readonly client: ForeignClient;
	readonly version: string;
	/** The id that the client gave it; '' if it gave none. */
	readonly id: string;
	/** Its working folder; '' if that is unknown. */
	readonly folder: string;
	readonly title: string;
	readonly events: readonly TimedEvent[];
	readonly messages: number;
	readonly calls: number;
	readonly remainder: Remainder;
};

/** `at` is ISO 8601 in UTC. */
export type TimedEvent = {readonly at: string; readonly event: AgentEvent};

/** What may be left out of a transcript: one, and more of it. */
const leftNames: Readonly<Record<string, readonly [string, string]>> = {
	broken: ['line that is not a JSON object', 'lines that are not JSON objects'],
	cut: ['last line that was cut off', 'last lines that were cut off'],
	long: ['line of more than 32 MB', 'lines of more than 32 MB'],
	deep: ['line that is nested too deeply', 'lines that are nested too deeply'],
	branch: ['message that was taken back', 'messages that were taken back'],
	agents: ['line of a sub-agent', 'lines of sub-agents'],
	image: ['image', 'images'],
	document: ['document', 'documents'],
	encrypted: ['encrypted thought', 'encrypted thoughts'],
	instructions: ['instruction of the client', 'instructions of the client'],
	bookkeeping: ['line without a message', 'lines without a message'],
};

/** Returns what is not in a conversation as it was, in sentences; none if everything is. */
export function remainderText({left, asText}: Remainder): readonly string[] {
	const named = (counts: Remainder['left']) =>
		[...counts].map(([kind, count]) => `${count} ${leftNames[kind]?.[count === 1 ? 0 : 1] ?? kind}`).join(', ');
	return [
		...(left.size > 0 ? [`Left out: ${named(left)}.`] : []),
		...(asText.size > 0 ? [`Not understood, kept as text: ${named(asText)}.`] : []),
	];
}

/** Lines that hold no message are part of every transcript; the rest is a loss. */
const harmless = new Set(['bookkeeping', 'instructions', 'branch']);

/** Returns true if something of the conversation itself was lost or not understood. */
export function isLossy({left, asText}: Remainder): boolean {
	return asText.size > 0 || [...left.keys()].some(kind => !harmless.has(kind));
}

/** Returns a property of what may be any JSON; undefined if it is no object or has none. */
export function member(value: unknown, name: string): unknown {
	return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, name)
		? (value as Readonly<Record<string, unknown>>)[name]
		: undefined;
}

/** Returns a text as it is, anything else as ''. */
export function textOf(value: unknown): string {
	return typeof value === 'string' ? value : '';
}

/** Returns a list as it is, nothing else. */
export function listOf(value: unknown): readonly unknown[] {
	return Array.isArray(value) ? value : [];
}
