import {randomUUID} from 'node:crypto';
import {AppError} from '../core/error.ts';
import type {Json} from '../core/json.ts';
import type {QuestionKind} from '../link/protocol.ts';

/** A question that waits for an answer, however long nobody is attached. */
export type PendingQuestion = {
	readonly id: string;
	readonly kind: QuestionKind;
	/** What it is about, as terminals draw it. */
	readonly question: Json;
	/** The call that waits for it. */
	readonly call?: string | undefined;
	/** The only terminal that is asked: it runs the command that asks. */
	readonly target?: string | undefined;
};

type Asked = PendingQuestion & {
	readonly settle: (value: Json | undefined) => void;
	/** The terminals that were sent it. */
	readonly sentTo: Set<string>;
	/** When each terminal said that it had painted it, in milliseconds on a monotonic clock. */
	readonly paintedAt: Map<string, number>;
};

/** The questions of a session. They are part of its state: every terminal that is attached later gets those that wait. */
export type SessionQuestions = {
	/** Asks. Returns the answer, undefined for no. Throws the signal's reason if it aborts first. */
	readonly ask: (asked: Omit<PendingQuestion, 'id'>, signal: AbortSignal) => Promise<Json | undefined>;
	readonly waiting: () => readonly PendingQuestion[];
	/** Notes that a terminal was sent a question. */
	readonly sent: (terminal: string, id: string) => void;
	/** Notes that a terminal has painted a question that it was sent. What comes later than that, it painted again. */
	readonly painted: (terminal: string, id: string) => void;
	/**
	 * Answers a question. Returns it. Throws AppError("conflict") if it waits no more, and for a yes of a terminal that has not
	 * said for long enough that it painted it, so that a person can have read it (SAFETY 4): then it still waits. A client of others answers the request that it was sent, when it wants.
	 */
	readonly answer: (terminal: string, id: string, value: Json | undefined, isForeign?: boolean) => PendingQuestion;
	/** Answers everything that only this terminal is asked with no: it doesn't drive any more. Does nothing for undefined. */
	readonly drop: (terminal: string | undefined) => void;
};

type Options = {
	readonly onAsked: (question: PendingQuestion) => void;
	readonly onClosed: (question: PendingQuestion) => void;
	/** Returns milliseconds on a monotonic clock. */
	readonly now: () => number;
};

/** How long a question must have been on the screen before its answer counts, as in the app. */
export const shownMs = 500;

/** What a yes allows something by. */
const isApproval: ReadonlySet<QuestionKind> = new Set(['approval', 'inquiry', 'agree']);

export function createQuestions({onAsked, onClosed, now}: Options): SessionQuestions {
	const open = new Map<string, Asked>();
	const close = (asked: Asked, value: Json | undefined) => {
		open.delete(asked.id);
		asked.settle(value);
		onClosed(asked);
	};

	return {
		async ask(asked, signal) {
			signal.throwIfAborted();
			return new Promise<Json | undefined>((resolve, reject) => {
				const stop = () => {
					open.delete(question.id);
					reject(signal.reason);
					onClosed(question);
				};
				const question: Asked = {
					...asked,
					id: randomUUID(),
					sentTo: new Set(),
					paintedAt: new Map(),
					settle(value) {
						signal.removeEventListener('abort', stop);
						resolve(value);
					},
				};
				signal.addEventListener('abort', stop, {once: true});
				open.set(question.id, question);
				onAsked(question);
			});
		},
		waiting: () => [...open.values()],
		sent(terminal, id) {
			open.get(id)?.sentTo.add(terminal);
		},
		painted(terminal, id) {
			const asked = open.get(id);
			if (asked?.sentTo.has(terminal) && !asked.paintedAt.has(terminal)) {
				asked.paintedAt.set(terminal, now());
			}
		},
		answer(terminal, id, value, isForeign = false) {
			const asked = open.get(id);
			if (!asked?.sentTo.has(terminal) || (asked.target !== undefined && asked.target !== terminal)) {
				throw new AppError('conflict', 'This question waits no more: somebody answered it, or the run ended.');
			}

			const paintedForMs = now() - (asked.paintedAt.get(terminal) ?? Number.POSITIVE_INFINITY);
			if (!isForeign && isApproval.has(asked.kind) && value !== undefined && paintedForMs < shownMs) {
				throw new AppError('conflict', 'The answer came before the question could be read.', {
					hint: 'Read it, then answer again.',
				});
			}

			close(asked, value);
			return asked;
		},
		drop(terminal) {
			for (const asked of open.values()) {
				if (terminal !== undefined && asked.target === terminal) {
					close(asked, undefined);
				}
			}
		},
	};
}
