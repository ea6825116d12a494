import type {JsonObject} from '../../../core/json.ts';
import {isLoopback} from '../../../core/origin.ts';
import type {ToolContext} from '../../../core/session/tool.ts';
import type {AskUser} from '../../../core/session/user-question.ts';
import {askForPage, type ElicitAnswer, fillForm} from './fill-form.ts';
import {readFields} from './form-fields.ts';

/** What a server asks of the user: a form, or to open a page. */
export type Elicitation = {readonly message: string} & ({readonly schema: JsonObject} | {readonly url: string});

/** A call of a tool, during which its server may ask the user. */
export type ElicitingCall = {
	/** Shows the user a sentence. */
	readonly onNotice: NonNullable<ToolContext['onNotice']>;
	/** Asks the user; undefined if nobody can be asked. */
	readonly ask: AskUser | undefined;
	/** Called when the user answered: the server may take its time again. */
	readonly onAnswered: () => void;
};

/** Asks the user for a server. */
export type Elicitor = {
	/** Begins a call. Returns what ends it: without calls, open questions are closed. */
	readonly begin: (call: ElicitingCall) => () => void;
	/** True while the user is asked. */
	readonly isAsking: () => boolean;
	/** Answers a server. Never throws: what can't be asked is declined. */
	readonly answer: (elicitation: Elicitation, signal: AbortSignal) => Promise<ElicitAnswer>;
};

type Options = {
	/** The name of the server. */
	readonly server: string;
	/** Opens a page in a browser; undefined where there is none. */
	readonly openPage: ((url: string) => Promise<boolean>) | undefined;
	readonly onLog: (line: string) => void;
};

/** Most questions while calls run, and most that the user refuses, before the rest is declined; most that wait. */
const maxAsked = 10;
const maxRefused = 2;
const maxWaiting = 3;
const tooOften = 'it asked too often';

/** The questions of one server while its tools are called. */
type Own = {
	readonly calls: Set<ElicitingCall>;
	/** Aborts when no call is left. */
	ended: AbortController;
	counts: {asked: number; refused: number; waiting: number};
	/** Settles after the last question. */
	turn: Promise<unknown>;
};

/**
 * Creates what asks the user for one server: one question after the other, only while a tool of it is called, and a limited
 * number of them, so that no server can keep the user busy.
 */
export function createElicitor(options: Options): Elicitor {
	const own: Own = {calls: new Set(), ended: new AbortController(), counts: noCounts(), turn: Promise.resolve()};
	return {
		begin(call) {
			own.calls.add(call);
			return () => {
				own.calls.delete(call);
				if (own.calls.size === 0) {
					own.ended.abort(new DOMException('The call ended.', 'AbortError'));
					own.ended = new AbortController();
					own.counts = noCounts();
				}
			};
		},
		isAsking: () => own.counts.waiting > 0,
		answer: (elicitation, signal) => answerIn(own, elicitation, options, signal),
	};
}

function noCounts(): Own['counts'] {
	return {asked: 0, refused: 0, waiting: 0};
}

async function answerIn(
	own: Own,
	elicitation: Elicitation,
	options: Options,
	signal: AbortSignal,
): Promise<ElicitAnswer> {
	const {calls, counts} = own;
	const reason = whyNot(own);
	counts.asked++;
	if (reason !== undefined) {
		return declined(elicitation, reason, options, counts.asked <= maxAsked ? calls : []);
	}

	counts.waiting++;
	const until = AbortSignal.any([signal, own.ended.signal]);
	const asking = own.turn.then(() =>
		counts.refused < maxRefused
			? askUser(elicitation, options, calls, until)
			: declined(elicitation, tooOften, options, calls),
	);
	own.turn = asking.catch(() => undefined);
	try {
		const answer = await asking;
		counts.refused += answer.action === 'accept' ? 0 : 1;
		return answer;
	} catch {
		// The call ended first.
		return {action: 'cancel'};
	} finally {
		counts.waiting--;
		for (const call of calls) {
			call.onAnswered();
		}
	}
}

function whyNot({calls, counts}: Own): string | undefined {
	if (calls.size === 0) {
		return 'it asks only while one of its tools is called';
	}

	if (!askerOf(calls)) {
		return 'nobody can be asked here';
	}

	return counts.asked >= maxAsked || counts.waiting >= maxWaiting ? tooOften : undefined;
}

/** Returns what asks the user in the session of the last call. */
function askerOf(calls: ReadonlySet<ElicitingCall>): AskUser | undefined {
	return [...calls].at(-1)?.ask;
}

/** Declines, and says so in the log and beside the calls. */
function declined(
	{message}: Elicitation,
	reason: string,
	{server, onLog}: Options,
	calls: Iterable<ElicitingCall>,
): ElicitAnswer {
	const text = `The MCP server ${server} asked for input (“${message.slice(0, 200)}”). Declined: ${reason}.`;
	onLog(text);
	for (const {onNotice} of calls) {
		onNotice(text, {isWarning: true});
	}

	return {action: 'decline'};
}

async function askUser(
	elicitation: Elicitation,
	options: Options,
	calls: ReadonlySet<ElicitingCall>,
	signal: AbortSignal,
): Promise<ElicitAnswer> {
	signal.throwIfAborted();
	const {server, openPage} = options;
	const ask = askerOf(calls);
	const {message} = elicitation;
	const decline = (reason: string) => declined(elicitation, reason, options, calls);
	if (!ask) {
		return decline('nobody can be asked here');
	}

	if ('url' in elicitation) {
		const {url} = elicitation;
		if (!isSafePage(url)) {
			return decline('its page is not an https address');
		}

		const {isOpen, ...answer} = await askForPage({server, message, url}, {ask, open: openPage}, signal);
		if (isOpen === false && openPage) {
			for (const {onNotice} of calls) {
				onNotice(`Couldn't open a browser. Open the page yourself: ${url}`);
			}
		}

		return answer;
	}

	const fields = readFields(elicitation.schema);
	return fields ? fillForm({server, message, fields}, ask, signal) : decline('its form has too many or unknown fields');
}

/** True for https, or http of this machine, without a user and a password that could look like a host. */
function isSafePage(url: string): boolean {
	if (!URL.canParse(url) || url.length > 2000) {
		return false;
	}

	const {protocol, username, password} = new URL(url);
	return (
		username === '' && password === '' && (protocol === 'https:' || (protocol === 'http:' && isLoopback(new URL(url))))
	);
}
