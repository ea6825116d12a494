import type {Invocation} from '../command/invocation.ts';
import {exitStatus, reportError} from '../core/error.ts';
import type {Recorded} from '../core/event.ts';
import type {PriceOf} from '../core/usage.ts';
import type {SessionSummary} from '../storage/sessions.ts';
import type {Conversation} from '../store/conversation.ts';
import type {AppStore} from '../store/store.ts';
import {runOnce} from './once.ts';
import {printError} from './print.ts';
import {readInput} from './read-input.ts';

type Once = Extract<Invocation, {mode: 'once'}>;

type Program = {
	readonly conversation: Conversation;
	readonly sessions: {readonly latest: () => Promise<SessionSummary>};
	readonly warnings: () => readonly string[];
	readonly resume: (id: string) => Promise<readonly string[]>;
	readonly onRecord: (listener: (record: Recorded) => void) => void;
	readonly loadCatalog: () => Promise<PriceOf>;
};

type Surroundings = {
	readonly store: AppStore;
	readonly compose: (options: Once) => Promise<Program>;
	readonly stdin: NodeJS.ReadStream;
	readonly stdout: NodeJS.WriteStream;
	readonly stderr: NodeJS.WriteStream;
	readonly onInterrupt: (listener: () => void) => void;
};

/** `service -p`: prompt from the flag and from standard input, one run, an exit status. */
export async function runHeadless(once: Once, surroundings: Surroundings): Promise<number> {
	const {store, compose, stdin, stdout, stderr, onInterrupt} = surroundings;
	const warn = (text: string) => stderr.write(`service: ${text}\n`);
	try {
		const piped = await readInput(stdin, {optional: once.prompt !== undefined, warn});
		const prompt = [once.prompt, piped.trimEnd()].filter(part => part?.trim()).join('\n\n');
		const program = await compose(once);
		for (const warning of program.warnings()) {
			warn(warning);
		}

		if (once.resume) {
			const id = once.resume === 'latest' ? (await program.sessions.latest()).id : once.resume;
			for (const notice of await program.resume(id)) {
				warn(notice);
			}
		}

		onInterrupt(() => program.conversation.interrupt());
		return await runOnce(prompt, once.format, {
			store,
			conversation: program.conversation,
			onRecord: program.onRecord,
			priceOf: program.loadCatalog,
			stdout,
			stderr,
		});
	} catch (error) {
		const report = reportError(error);
		printError(report, stderr, {json: false});
		return exitStatus[report.code];
	}
}
