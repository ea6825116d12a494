import {faultText, inEffect, leftOut, type Project} from '../agent/project/project.ts';
import type {Invocation} from '../command/invocation.ts';
import type {Program, Surroundings} from '../command/program.ts';
import {abortable} from '../core/abortable.ts';
import {nameCommands} from '../core/command-words.ts';
import {exitStatus, reportError} from '../core/error.ts';
import {formatBytes} from '../core/format.ts';
import {refuseElsewhere} from '../session/resume-session.ts';
import {wantsLinear} from '../terminal/abilities.ts';
import {runOnce} from './once.ts';
import {printError, printJson, printWarning} from './print.ts';
import {readInput} from './read-input.ts';
import {resultWithoutRun} from './result-object.ts';
import {slashPrompt} from './slash-prompt.ts';

/** The default limit of model calls without a screen, where nobody sees what they cost. */
const defaultMaxTurns = 100;

type Once = Extract<Invocation, {mode: 'once'}>;

/** The parts of the program that one run needs. */
type Part =
	| ('conversation' | 'warnings' | 'resume' | 'onRecord' | 'loadCatalog' | 'folder' | 'project')
	| ('chooseModel' | 'checkMedia' | 'secrets' | 'endTraces' | 'entries' | 'refreshEntries');

type Streams = Pick<Parameters<typeof runOnce>[2], 'stdout' | 'stderr'> & {
	readonly stdin: Parameters<typeof readInput>[0];
	/** Aborts when the user interrupts, even while the program starts. */
	readonly signal: AbortSignal;
};

/**
 * Runs `service -p`: one prompt from the flag and standard input. Returns the exit status. If the run can't start, the error
 * is printed to standard error, and to standard output as the result that programs wait for.
 */
export async function runHeadless(
	once: Once,
	surroundings: Pick<Surroundings<Part>, 'store' | 'compose'> & Partial<Pick<Surroundings<Part>, 'env'>> & Streams,
): Promise<number> {
	const {store, compose, stdin, stdout, stderr, signal} = surroundings;
	const warn = (text: string) => printWarning(text, stderr);
	try {
		const piped = await abortable(readInput(stdin, {optional: once.prompt !== undefined, warn}), signal);
		const parts = [once.prompt ?? '', piped.trimEnd()].filter(part => part.trim());
		const program = await abortable(compose({...once, maxTurns: once.maxTurns ?? defaultMaxTurns}), signal);
		for (const warning of program.warnings()) {
			warn(warning);
		}

		if (once.resume) {
			for (const notice of (await program.resume(once.resume, refuseElsewhere)) ?? []) {
				warn(nameCommands(notice, 'shell'));
			}
		}

		await openFolder(program.folder, warn);
		for (const warning of await abortable(untrusted(program.project), signal)) {
			warn(warning);
		}

		const [first = '', ...rest] = parts;
		const prompt = [await slashPrompt(first, program, warn), ...rest].join('\n\n');
		await abortable(program.chooseModel(), signal);
		await abortable(program.checkMedia(prompt), signal);
		// The user can't be asked, and a model has no use for a key.
		const isMasked = once.approve !== 'all' && (await abortable(program.secrets.find(prompt), signal));
		signal.throwIfAborted();
		signal.addEventListener('abort', () => program.conversation.interrupt());
		if (isMasked) {
			warn('The prompt contains an API key; the model gets it masked. Send it unmasked with --approve all.');
		}

		const status = runOnce(isMasked ? program.secrets.hide(prompt) : prompt, once.format, {
			store,
			conversation: program.conversation,
			onRecord: program.onRecord,
			priceOf: program.loadCatalog,
			stdout,
			stderr,
			isLinear: wantsLinear(surroundings.env ?? {}),
		});
		return await status.finally(() => endTraces(program, warn));
	} catch (error) {
		const report = reportError(error);
		printError(report, stderr, {json: false});
		if (once.format !== 'text') {
			printJson(resultWithoutRun(report), stdout);
		}

		return exitStatus[report.code];
	}
}

/** Lets the agent read a wide folder: the user can't be asked, and chose the folder of the script. */
async function openFolder(folder: Program['folder'], warn: (text: string) => void): Promise<void> {
	const wide = folder.unasked();
	if (wide) {
		await folder.answer(true, {isOnce: true});
		warn(`The agent can read ${wide}. Run this in a project folder to narrow that.`);
	}
}

/** Sends the traces that wait, and warns about those that were not sent. */
async function endTraces(program: Pick<Program, 'endTraces'>, warn: (text: string) => void): Promise<void> {
	const unsent = await program.endTraces();
	if (unsent) {
		warn(`Traces: ${unsent}`);
	}
}

/** Returns what the user must know about files of the project that are not used, or not as a whole. */
async function untrusted(project: Project): Promise<readonly string[]> {
	const state = await project.state();
	const cut = inEffect(state).filter(({isCut}) => isCut);
	const faults = [
		...[...state.ownFaults, ...state.faults].map(faultText),
		...cut.map(({path, sizeBytes}) => `${path} is too long (${formatBytes(sizeBytes)}): only its beginning is used.`),
	];
	const unused = leftOut(state).map(({path}) => path);
	return unused.length > 0
		? [...faults, `Not trusted, so left out: ${unused.join(', ')}. Pass --trust to use them in this run.`]
		: faults;
}
