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
	/** When each terminal was sent it, in milliseconds on a monotonic clock. */
	readonly sentAt: Map<string, number>;
};

/** The questions of a session. They are part of its state: every terminal that is attached later gets those that wait. */
export type SessionQuestions = {
	/** Asks. Returns the answer, undefined for no. Throws the signal's reason if it aborts first. */
	readonly ask: (asked: Omit<PendingQuestion, 'id'>, signal: AbortSignal) => Promise<Json | undefined>;
	readonly waiting: () => readonly PendingQuestion[];
	/** Notes that a terminal was sent a question now. */
	readonly sent: (terminal: string, id: string) => void;
	/**
	 * Answers a question. Returns it. Throws AppError("conflict") if it waits no more, or the terminal can't have shown it long
	 * enough for a person to read it (SAFETY 4).
	 */
	readonly answer: (terminal: string, id: string, value: Json | undefined) => PendingQuestion;
	/** Answers everything that only this terminal is asked with no: it is detached. */
	readonly drop: (terminal: string) => void;
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
					sentAt: new Map(),
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
			const asked = open.get(id);
			if (asked && !asked.sentAt.has(terminal)) {
				asked.sentAt.set(terminal, now());
			}
		},
		answer(terminal, id, value) {
			const asked = open.get(id);
			const sentAt = asked?.sentAt.get(terminal);
			if (!asked || sentAt === undefined || (asked.target !== undefined && asked.target !== terminal)) {
				throw new AppError('conflict', 'This question waits no more: somebody answered it, or the run ended.');
			}

			if (isApproval.has(asked.kind) && value !== undefined && now() - sentAt < shownMs) {
				throw new AppError('conflict', 'The answer came before the question could be read.', {
					hint: 'Read it, then answer again.',
				});
			}

			close(asked, value);
			return asked;
		},
		drop(terminal) {
			for (const asked of open.values()) {
				if (asked.target === terminal) {
					close(asked, undefined);
				}
			}
		},
	};
}
