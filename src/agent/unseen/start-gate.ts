import {messageOf} from '../../core/error.ts';
import {isWithin} from '../paths/existing.ts';
import {settleWindows} from './change-window.ts';
import {headOf} from './committed-files.ts';
import {
	type LedgerPlace,
	ledgersAbout,
	removeUnreadable,
	takeOver,
	type UnseenFile,
	unseenIn,
} from './unseen-ledger.ts';

/** What nobody saw of the changes in a project; `fault` says, as a sentence, why that isn't known. */
export type Unseen = {readonly files: readonly UnseenFile[]; readonly fault?: string};

/** A program that is about to start outside the sandbox. */
export type Starting = {
	/** Names it at the beginning of a sentence: `The hook “npm test”`. */
	readonly who: string;
	/** What the user does to start it later: ``start it with `/mcp reconnect docs` ``. */
	readonly later: string;
};

/** Asks whether it may start with these files. Returns false for no. Throws the signal's reason. */
export type AskToStart = (starting: Starting, unseen: Unseen, signal: AbortSignal) => Promise<boolean>;

/** Decides about programs that start outside the sandbox. */
export type StartGate = {
	/** Returns why one may not start, as a sentence; undefined if it may. Throws the signal's reason. */
	readonly whyNot: (starting: Starting, signal: AbortSignal) => Promise<string | undefined>;
	/** Asks again about what the user refused. */
	readonly forget: () => void;
	/** Returns sentences about what started with files that nobody saw, once. */
	readonly takeNotes: () => readonly string[];
};

type Options = {
	readonly stateFolder: string;
	/** Returns the root of the project. */
	readonly root: () => Promise<string>;
	/** True if the command line trusts the folder for this run. */
	readonly trustsAll: boolean;
	/** Returns what asks the user; undefined if nobody can be asked. */
	readonly ask: () => AskToStart | undefined;
};

/** How often it asks about what changed while the user was asked. */
const maxRounds = 5;

/**
 * Creates what lets a program start outside the sandbox only if nothing in the project is as the agent left it without that
 * anybody saw it, or if the user agrees to exactly these files (SAFETY 12).
 */
export function createStartGate({stateFolder, root, trustsAll, ask}: Options): StartGate {
	const refused = new Set<string>();
	let notes: string[] = [];
	let previous: Promise<unknown> = Promise.resolve();

	const decide = async (starting: Starting, signal: AbortSignal): Promise<string | undefined> => {
		for (let round = 0; round < maxRounds; round++) {
			signal.throwIfAborted();
			const {places, ...unseen} = await findUnseen(await root(), stateFolder);
			if (unseen.files.length === 0 && unseen.fault === undefined) {
				return undefined;
			}

			const what = `${unseen.fault ?? `${describeFiles(unseen.files, await root())}, and nobody saw that`}`;
			if (trustsAll) {
				notes.push(`${starting.who} started outside the sandbox because of --trust: ${what}.`);
				return undefined;
			}

			const asks = ask();
			const key = JSON.stringify(unseen);
			if (!asks || refused.has(key) || !(await asks(starting, unseen, signal))) {
				refused.add(key);
				const how = asks
					? `Look at it, then ${starting.later}.`
					: 'Pass --trust to -p to start it, or start it in the app, which asks you.';
				return `It would run outside the sandbox, but ${what}. ${how}`;
			}

			if (unseen.fault !== undefined || !(await agree(places, unseen.files))) {
				// Their yes counts at least for this start.
				await removeUnreadable(stateFolder);
				return undefined;
			}
		}

		return 'It would run outside the sandbox, but files keep changing that nobody saw.';
	};

	return {
		whyNot(starting, signal) {
			const answer = previous.then(() => decide(starting, signal));
			previous = answer.catch(() => undefined);
			return answer;
		},
		forget: () => refused.clear(),
		takeNotes() {
			const taken = notes;
			notes = [];
			return taken;
		},
	};
}

/** Returns what the agent left in a project that nobody saw, also in other sessions and processes. */
export async function findUnseen(
	root: string,
	stateFolder: string,
): Promise<Unseen & {readonly places: readonly LedgerPlace[]}> {
	let places: readonly LedgerPlace[] = [];
	try {
		places = await ledgersAbout(root, stateFolder);
		const files: UnseenFile[] = [];
		for (const place of places) {
			const isChanging = await settleWindows(place);
			files.push(...(await unseenIn(place, {head: await headOf(place.folder), isChanging})));
		}

		return {
			places,
			files: files.filter(({path}) => path === root || path.startsWith(`${root}/`) || root.startsWith(`${path}/`)),
		};
	} catch (error) {
		return {places, files: [], fault: `nobody knows what the agent changed: ${messageOf(error).replace(/\.$/, '')}`};
	}
}

/**
 * Creates what returns those of the files of a hook that are as the agent left them and that nobody saw, each once, relative to
 * the folder. The files are looked for only if others are unseen than the last time.
 */
export function createUnseenOnce(folder: string, stateFolder: string) {
	const last = new Map<string, string>();
	const told = new Set<string>();
	return async (command: string, filesOf: () => Promise<ReadonlySet<string>>): Promise<readonly string[]> => {
		const {files: unseen} = await findUnseen(folder, stateFolder);
		const now = JSON.stringify(unseen.map(({path}) => path));
		if (unseen.length === 0 || last.get(command) === now) {
			return [];
		}

		last.set(command, now);
		const files = await filesOf();
		const isIn = ({path, count}: UnseenFile) =>
			files.has(path) || (count > 1 && [...files].some(file => isWithin(file, path)));
		const names = unseen.filter(isIn).map(file => nameFile(file, folder));
		const others = names.filter(name => !told.has(name));
		for (const name of others) {
			told.add(name);
		}

		return others;
	};
}

/** Keeps the user's yes. Returns false if that can't be written. */
async function agree(places: readonly LedgerPlace[], files: readonly UnseenFile[]): Promise<boolean> {
	try {
		for (const place of places) {
			await takeOver(place, files);
		}

		return true;
	} catch {
		return false;
	}
}

const maxNamed = 10;

/** Returns a clause such as “the agent changed a.js and removed b.js”. */
function describeFiles(files: readonly UnseenFile[], root: string): string {
	const named = files.slice(0, maxNamed).map(file => nameFile(file, root));
	const more = files.length - named.length;
	return `the agent changed ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Returns a file as a line of a list. Untrusted. */
export function nameFile({path, isGone, count}: UnseenFile, root: string): string {
	const name = path === root ? 'files of the folder' : path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
	return `${name}${count > 1 ? `/ (${count} files)` : ''}${isGone ? ' (removed)' : ''}`;
}
