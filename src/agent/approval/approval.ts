import {createHash} from 'node:crypto';
import {abortable} from '../../core/abortable.ts';
import {AppError, reportError} from '../../core/error.ts';
import type {Act, Approval, ApprovalAnswer, ApprovalMode} from '../../core/session/approval.ts';
import type {RunStarter} from '../history.ts';
import {denial, type Rule, ruleText, type Verdict} from '../policy/rules/rule.ts';
import type {ToolPlace} from '../tool-turn.ts';
import {ruleOn} from './ruling.ts';

/** What a tool asks to be allowed, and what is decided by the user or the command line. */
export type ApprovalQuestion = Approval & {
	/** The call that waits. */
	readonly id: string;
	/** Identifies exactly what is allowed. */
	readonly hash: string;
	/** Why no rule covers it, and which ones would. */
	readonly verdict: Extract<Verdict, {effect: 'ask'}>;
	/** Called once the user sees it. */
	readonly onShown?: () => void;
};

type Call = Parameters<ToolPlace['approvals']>[0];

type Options = {
	/** Answers a question. Throws the signal's reason if the run ends first. */
	readonly decide: (question: ApprovalQuestion, signal: AbortSignal) => Promise<ApprovalAnswer>;
	/** Returns what the rules of the moment say about an act. */
	readonly judge: (act: Act) => Promise<Verdict>;
	readonly mode: () => ApprovalMode;
	/** Called when the user allows more than this once: these rules, or for `edits` all edits of files. */
	readonly keep: (scope: 'session' | 'folder' | 'edits', rules: readonly string[]) => Promise<void>;
	/** Called when rules allow something. */
	readonly onRules?: (rules: readonly Rule[], act: Act) => void;
	/** Calls the listener whenever rules or the mode may have changed. Returns a function that stops that. */
	readonly onChange?: (listener: () => void) => () => void;
	/**
	 * Asks with `ask` once the user can be asked, and again after what took the question back; left out if they always can.
	 * Throws the signal's reason if it aborts first.
	 */
	readonly whenAskable?: <Answer>(
		ask: (signal: AbortSignal) => Promise<Answer>,
		signal: AbortSignal,
	) => Promise<Answer>;
};

/** Returns the hash of what a question is about. */
function hashOf(subject: string): string {
	return createHash('sha256').update(subject).digest('hex');
}

/** Returns the hash of a request whose command the user has edited. */
export function editedHash(hash: string, command: string): string {
	return hashOf(`${hash}\n${command}`);
}

/**
 * Creates the approvals of a session. Rules that deny come first, then plan mode, rules that allow, the mode, and last the
 * user, who is asked one question at a time. A question that waits, also the one on screen, is answered by the rules and
 * the mode once they cover it.
 */
export function createApprovals(options: Options) {
	const {judge, mode, onChange = () => () => undefined} = options;
	/** Hashes that the user allowed for the session, where no rule can say it. */
	const allowed = new Set<string>();
	const waiting = new Set<() => void>();
	let previous: Promise<unknown> = Promise.resolve();

	/** Waits with `wait`, but no longer than until rules or the mode decide. */
	const untilRuled: Question['untilRuled'] = async (wait, rule, signal) => {
		const released = new AbortController();
		let ruled: Decided | undefined;
		const judgeAgain = async () => {
			const again = await rule().catch(() => undefined);
			// A mode that refuses may only be on the way to another one.
			if (again && again.effect !== 'ask' && !(again.effect === 'deny' && again.by === 'mode')) {
				ruled ??= again;
				released.abort();
			}
		};
		const listener = () => void judgeAgain();
		waiting.add(listener);
		const stop = onChange(listener);
		try {
			const either = AbortSignal.any([signal, released.signal]);
			const recheck = async () => {
				await judgeAgain();
				either.throwIfAborted();
			};
			return {value: await abortable(wait(either, recheck), either)};
		} catch (error) {
			signal.throwIfAborted();
			if (ruled === undefined) {
				throw error;
			}

			return {ruled};
		} finally {
			waiting.delete(listener);
			stop();
		}
	};

	return {
		/**
		 * Returns the approvals of one run. What the user refused in it isn't asked again. `startedBy` says who started what the
		 * run works on now; the user by default.
		 */
		startRun(startedBy: () => RunStarter = () => 'user'): ToolPlace['approvals'] {
			const refused = new Set<string>();
			const denied = new Set<string>();
			return call => request => {
				const hash = hashOf(request.subject);
				const rule = async (): Promise<Verdict> => {
					const ruled = forCall(call, ruleOn(request.act, mode(), await judge(request.act)));
					return ruled.effect === 'ask' && allowed.has(hash) && !call.isWritten ? {effect: 'allow', by: 'user'} : ruled;
				};
				const turn = previous;
				const settle = async () => {
					const waited = await untilRuled(() => turn, rule, call.signal);
					const verdict = waited.ruled ?? (await rule());
					call.signal.throwIfAborted();
					const isUnattended = startedBy() !== 'user';
					const allow = () => {
						allowed.add(hash);
						for (const listener of waiting) {
							listener();
						}
					};
					const question = {request, hash, verdict, rule, untilRuled, call, allow, refused, denied, isUnattended};
					return answerOne(question, options);
				};
				const answer = settle();
				previous = Promise.allSettled([turn, answer]);
				return answer;
			};
		},
	};
}

/** Returns what happens to an act of a call: one that is written as text is asked, though rules or the mode allow it. */
function forCall({isWritten}: Call, verdict: Verdict): Verdict {
	const isAllowed = verdict.effect === 'allow' && verdict.by !== 'read-only';
	return isWritten && isAllowed ? {effect: 'ask', why: 'the model wrote this call as text', suggestions: []} : verdict;
}

/** What rules or the mode decide, without the user. */
type Decided = Exclude<Verdict, {effect: 'ask'}>;

type Question = {
	readonly request: Approval;
	readonly hash: string;
	readonly verdict: Verdict;
	/** Rules on the request by the rules and the mode of the moment. */
	readonly rule: () => Promise<Verdict>;
	/** Returns what `wait` does, or what was decided meanwhile: then the signal that `wait` gets aborts. */
	readonly untilRuled: <Value>(
		wait: (signal: AbortSignal, recheck: () => Promise<void>) => Promise<Value>,
		rule: () => Promise<Verdict>,
		signal: AbortSignal,
	) => Promise<{readonly value: Value; readonly ruled?: undefined} | {readonly ruled: Decided}>;
	readonly call: Call;
	/** Allows the request for the session. */
	readonly allow: () => void;
	readonly refused: Set<string>;
	/** Hashes that were denied because nobody can be asked. */
	readonly denied: Set<string>;
	readonly isUnattended: boolean;
};

/** Records an answer. `answered` is the hash that it is about. */
type RecordAnswer = (
	isAllowed: boolean,
	by: string,
	more?: {readonly answered?: string; readonly flags?: string; readonly rules?: readonly Rule[]},
) => void;

/** Answers one request, and records both. */
async function answerOne(question: Question, options: Options): Promise<ApprovalAnswer> {
	const {request, hash, verdict, call, refused} = question;
	const {act, summary, change} = request;
	const {id, emit} = call;
	const recorded = {id, summary, hash, ...(change && {change})};
	emit({type: 'approval-request', ...recorded, kind: act.kind});
	const answer: RecordAnswer = (isAllowed, by, {answered = hash, flags, rules = []} = {}) => {
		const places = rules.flatMap(({place}) => place ?? []);
		emit({
			type: 'approval-answer',
			id,
			allowed: isAllowed,
			hash: answered,
			by,
			...(places.length > 0 && {rules: places}),
			...(flags && {flags}),
		});
	};

	if (verdict.effect !== 'ask') {
		return answerRuled(verdict, question, answer, options);
	}

	if (refused.has(hash)) {
		answer(false, 'user');
		throw new AppError('failed', 'The user already refused exactly this, so they were not asked again.', {
			hint: 'Do something else, or ask them what they want instead.',
		});
	}

	if (question.isUnattended) {
		answer(false, 'unattended');
		throw denyUnattended({...question, verdict});
	}

	return askUser({...question, verdict}, answer, options);
}

/** Answers with what rules or the mode decided. */
function answerRuled(
	verdict: Decided,
	{request: {act}}: Question,
	answer: RecordAnswer,
	{onRules}: Options,
): ApprovalAnswer {
	if (verdict.effect === 'deny') {
		answer(false, namesOf(verdict.by));
		throw denial(verdict.by);
	}

	const rules = typeof verdict.by === 'string' ? [] : verdict.by;
	onRules?.(rules, act);
	answer(true, namesOf(verdict.by), {rules});
	return {allowed: true, ...(verdict.by === 'read-only' && {readOnly: true})};
}

/** Returns who decided, as it is recorded: rules by their texts. */
function namesOf(by: Decided['by']): string {
	return typeof by === 'string' ? by : [by].flat().map(ruleText).join(', ');
}

type Asking = Question & Pick<ApprovalQuestion, 'verdict'>;

/** Reports once to the user what was denied, and which rule allows it. Returns the error for the model. */
function denyUnattended({request: {summary}, hash, verdict, call, denied}: Asking): AppError {
	// A hint can't quote a backtick, and more rules than two are no hint.
	const rules = verdict.suggestions.filter(rule => !/[`"]/.test(rule));
	const canAllow = rules.length > 0 && rules.length === verdict.suggestions.length && rules.length <= 2;
	const commands = rules.map(rule => `\`approvals allow "${rule}"\``).join(' and ');
	if (!denied.has(hash)) {
		denied.add(hash);
		const hint = canAllow ? `Allow it: ${commands}` : 'Send the agent a message to be asked.';
		call.emit({type: 'notice', level: 'warning', text: `Denied, because a watch started this run: ${summary}`, hint});
	}

	return new AppError('failed', `Not allowed: ${summary} A watch started this run, so nobody was asked.`, {
		hint: `Continue without it, and tell the user ${canAllow ? `that ${commands} ${rules.length === 1 ? 'allows' : 'allow'} it` : 'what you need'}.`,
	});
}

async function askUser(question: Asking, answer: RecordAnswer, options: Options): Promise<ApprovalAnswer> {
	const {request, hash, verdict, rule, untilRuled, call, allow, refused} = question;
	const {decide, judge, mode, keep, whenAskable = (ask, signal) => ask(signal)} = options;
	const {act} = request;
	const asked = await untilRuled(
		(signal, recheck) =>
			whenAskable(async untilTakenBack => {
				// What changed since it was judged is known now, and each later change is heard.
				await recheck();
				return decide({...request, id: call.id, hash, verdict}, untilTakenBack);
			}, signal),
		rule,
		call.signal,
	);
	call.signal.throwIfAborted();
	if (asked.ruled) {
		return answerRuled(asked.ruled, question, answer, options);
	}

	// The command line allows a call only where the model made one.
	const given: ApprovalAnswer =
		call.isWritten && asked.value.by === 'flag' ? {allowed: false, by: 'flag'} : asked.value;
	if (given.by === 'flag') {
		return answerByFlag(given, question, answer);
	}

	const {command} = given.allowed ? given : {};
	const expected = command === undefined ? hash : editedHash(hash, command);
	if (!given.allowed || given.hash !== expected) {
		refused.add(hash);
		answer(false, 'user');
		return {allowed: false, ...(!given.allowed && given.reason && {reason: given.reason})};
	}

	if (command !== undefined && act.kind === 'command') {
		const edited = {...act, command};
		const again = ruleOn(edited, mode(), await judge(edited));
		call.signal.throwIfAborted();
		if (again.effect === 'deny') {
			answer(false, namesOf(again.by));
			throw denial(again.by);
		}
	} else if (given.keep === 'session' && (verdict.suggestions.length === 0 || request.keepsSubject)) {
		allow();
	} else if (given.keep) {
		const {keep: scope} = given;
		await keepOrWarn(() => keep(scope, verdict.suggestions), call);
		call.signal.throwIfAborted();
	}

	answer(true, 'user', {answered: expected});
	request.onSeen?.();
	return {
		allowed: true,
		...(command !== undefined && act.kind === 'command' && {command}),
		...(given.always && {always: given.always}),
	};
}

/** Answers with what the command line of a run without a user decided. */
function answerByFlag(
	given: ApprovalAnswer,
	{request: {summary}, call}: Question,
	answer: RecordAnswer,
): ApprovalAnswer {
	if (given.allowed) {
		answer(true, 'flag');
		if (given.notice) {
			call.emit({type: 'notice', level: 'warning', text: given.notice});
		}

		return {allowed: true};
	}

	const {flags} = given;
	answer(false, 'flag', flags ? {flags} : {});
	throw new AppError('failed', `Not allowed: ${summary} This run can't ask the user for approval.`, {
		hint: `Continue without it, and tell the user that ${flags ? `${flags} allows it` : 'only the app can ask them'}.`,
	});
}

/** Keeps what the user allowed for longer. If that fails, such as on a full disk, their yes still counts once. */
async function keepOrWarn(keep: () => Promise<void>, {emit}: Call): Promise<void> {
	try {
		await keep();
	} catch (error) {
		if (!(error instanceof AppError)) {
			throw error;
		}

		const {message, hint} = reportError(error);
		emit({type: 'notice', level: 'warning', text: `Allowed only once: ${message}`, ...(hint !== undefined && {hint})});
	}
}
