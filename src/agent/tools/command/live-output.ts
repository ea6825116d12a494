import {redactKnownLines} from '../../../core/secrets/redact.ts';
import {hideValues} from './file-secrets.ts';
import {plainOutput} from './plain-output.ts';

/** Time between two pieces: about ten a second. */
const intervalMs = 100;
/** Most characters of a piece; of more only the last ones are shown. */
const maxPiece = 4000;
/** Most characters of all pieces: they are kept in the journal. After that only the last line is shown, now and then. */
const maxTotal = 64_000;
const maxLastLine = 200;
const lastLineIntervalMs = 2000;
/** Lines before a piece in which a private key is still recognized. */
const contextLines = 60;

type Options = {
	readonly onOutput: (text: string) => void;
	/** Values to hide besides credentials of known kinds. */
	readonly secrets: readonly string[];
	readonly now?: () => number;
};

/** Shows output while a command runs, in few and small pieces of whole lines, without credentials (SAFETY 8). */
export function createLiveOutput({onOutput, secrets, now = performance.now.bind(performance)}: Options) {
	let waiting = '';
	let total = 0;
	let shownAt = Number.NEGATIVE_INFINITY;
	let context: readonly string[] = [];
	let timer: NodeJS.Timeout | undefined;

	const show = (text: string) => {
		const lines = plainOutput(text).split('\n');
		const safe = redactKnownLines([...context, ...lines]).slice(context.length);
		context = [...context, ...lines].slice(-contextLines);
		const isQuiet = total >= maxTotal;
		const piece = isQuiet ? (safe.findLast(Boolean) ?? '').slice(0, maxLastLine) : safe.join('\n');
		total += piece.length + 1;
		shownAt = now();
		onOutput(`${hideValues(piece, secrets)}\n`);
	};

	const flush = () => {
		timer = undefined;
		if (total >= maxTotal && now() - shownAt < lastLineIntervalMs) {
			return;
		}

		const end = Math.max(waiting.lastIndexOf('\n'), waiting.lastIndexOf('\r'));
		const text = waiting.slice(0, end);
		waiting = waiting.slice(end + 1);
		if (text) {
			show(text);
		}
	};

	return {
		add(text: string): void {
			waiting += text;
			if (waiting.length > maxPiece) {
				const cut = waiting.slice(-maxPiece);
				waiting = cut.slice(cut.indexOf('\n') + 1);
			}

			timer ??= setTimeout(flush, intervalMs);
		},
		/** Shows what waits. Nothing is shown after that. */
		end(): void {
			clearTimeout(timer);
			if (waiting && total < maxTotal) {
				show(waiting);
			}

			waiting = '';
		},
	};
}
