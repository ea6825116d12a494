import type {InputToken} from '../../../terminal/input/token.ts';

/** How long a resized window waits for the answer. */
const answerTimeoutMs = 250;
/** An answer that is this late doesn't come. */
const lostAfterMs = 5000;

type Question = {readonly askedAt: number; readonly end: (row: number | undefined) => void};

/** Asks the terminal for the row of the cursor, which it may have moved when the window was resized. */
export function createRowQuestion(write: (data: string) => unknown) {
	/** Those that wait for an answer, in order, also for one that comes too late. */
	let asked: readonly Question[] = [];
	const waiting = () => asked.filter(({askedAt}) => Date.now() - askedAt < lostAfterMs);
	return {
		isAwaited: () => waiting().length > 0,
		/** Resolves with the row from 0, undefined without an answer in time. */
		ask: () =>
			new Promise<number | undefined>(resolve => {
				const timer = setTimeout(resolve, answerTimeoutMs);
				const end = (row: number | undefined) => {
					clearTimeout(timer);
					resolve(row);
				};
				asked = [...waiting(), {askedAt: Date.now(), end}];
				write('\u001B[6n');
			}),
		/** Returns true if the token is an answer. */
		take(token: InputToken): boolean {
			const [first, ...others] = waiting();
			if (!first || token.type !== 'reply' || token.reply !== 'cursor-position') {
				return false;
			}

			asked = others;
			first.end(token.row);
			return true;
		},
	};
}
