import type {AgentEvent} from '../core/session/event.ts';
import {safeLine} from '../terminal/text/safe-text.ts';
import {printWarning} from './print.ts';

type Output = {readonly write: (data: string) => unknown};

/** What a run without a screen left out, and what that means for its answer. */
export type Losses = {
	/** Records a sentence about what was left out, cut, not found or not ready, and prints it, once. */
	readonly warn: (text: string, hint?: string) => void;
	/** Records like `warn` what makes the answer itself doubtful: the exit status says so even without `--strict`. */
	readonly doubt: (text: string, hint?: string) => void;
	/** Prints what the user should know and what loses nothing. */
	readonly note: (text: string, hint?: string) => void;
	/** Records what an event of the run lost. */
	readonly follow: (event: AgentEvent) => void;
	readonly warnings: () => readonly string[];
	/** The number of acts that were refused. */
	readonly refused: () => number;
	/** What made the answer doubtful first; undefined for nothing. */
	readonly doubtful: () => string | undefined;
};

/**
 * Collects what a run loses: the result object has it as `warnings` and `refused`, and standard error as a line each.
 * `clear` makes room on a terminal before a line is printed.
 */
export function createLosses(stderr: Output, clear: () => void = () => undefined): Losses {
	const warnings = new Set<string>();
	const tools = new Map<string, string>();
	let refused = 0;
	let doubtful: string | undefined;
	/** What is asked about now. */
	let question = '';

	const note = (text: string, hint?: string) => {
		clear();
		printWarning(text, stderr, hint);
	};
	const warn = (text: string, hint?: string) => {
		const line = oneLine(text);
		if (!warnings.has(line)) {
			warnings.add(line);
			note(line, hint);
		}
	};

	const follow = (event: AgentEvent) => {
		switch (event.type) {
			case 'task':
				followTask(event);
				return;
			case 'notice':
				if (event.level !== 'info') {
					warn(event.text, event.hint);
				}

				return;
			case 'attachment':
				if (event.source === 'none') {
					warn(event.text.replace(/^\[|\]$/g, ''));
				}

				return;
			case 'tool-call':
				tools.set(event.id, event.name);
				return;
			case 'tool-result':
				if (event.facts?.denied) {
					warn(`A hook denied ${tools.get(event.id)}: ${event.output.slice(event.facts.from)}`);
				}

				return;
			case 'approval-request':
				question = event.summary;
				return;
			case 'approval-answer':
				if (!event.allowed) {
					refused++;
					note(...refusalOf(question, event));
				}

				return;
			default:
				return;
		}
	};

	/** A sub-agent that ended early has its reason in the answer of its call, which only the model reads. */
	const followTask = ({event}: Extract<AgentEvent, {type: 'task'}>) => {
		if (event.type === 'run-end' && event.reason !== 'done' && event.reason !== 'interrupted') {
			warn(`A sub-agent ended early: ${event.error?.message ?? event.reason}`);
		} else {
			follow(event);
		}
	};

	return {
		warn,
		note,
		follow,
		doubt(text, hint) {
			warn(text, hint);
			doubtful ??= oneLine(text);
		},
		warnings: () => [...warnings],
		refused: () => refused,
		doubtful: () => doubtful,
	};
}

/** Returns a sentence as one line, with line ends as blanks. */
function oneLine(text: string): string {
	return safeLine(text.trim().replace(/\s*\n\s*/g, ' '));
}

/** Returns what was refused, and which flags allow it. */
function refusalOf(
	question: string,
	{by, flags}: Extract<AgentEvent, {type: 'approval-answer'}>,
): readonly [text: string, hint?: string] {
	return by === 'flag'
		? [
				`Refused without asking (not interactive): ${question}`,
				flags ? `Allow it with ${flags}.` : 'Only the app can ask you for it.',
			]
		: [`Refused: ${question}`];
}

/** True if something was left out or refused. */
export function isLossy({warnings, refused}: Pick<Losses, 'warnings' | 'refused'>): boolean {
	return warnings().length > 0 || refused() > 0;
}
