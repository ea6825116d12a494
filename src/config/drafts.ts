import {randomUUID} from 'node:crypto';
import {isJsonObject, type Json, parseJson} from '../core/json.ts';
import {openKeptFile} from '../storage/kept-file.ts';
import {isGone, type LockOwner, parseOwner, thisProcess} from '../storage/lock-owner.ts';

/** A text that was not sent. `at` is when it last changed, in milliseconds since the epoch. */
export type SavedDraft = {readonly text: string; readonly at: number};

/** The prompt of one app, and what the user put aside there, the latest last. */
export type SavedDrafts = {readonly draft?: SavedDraft | undefined; readonly stash: readonly string[]};

/** The drafts of one app in a file that processes share. */
export type Drafts = {
	/** Returns the drafts of ended processes with the same folder and profile, and owns them from now on. */
	readonly takeOver: () => Promise<SavedDrafts>;
	/** Replaces the drafts of this app; writes nothing if they are saved already. The caller leaves secrets out (SAFETY 11). */
	readonly save: (drafts: SavedDrafts) => Promise<void>;
	/** Lets the next app take the drafts over while this process still runs. */
	readonly release: () => Promise<void>;
};

type Place = {readonly folder: string; readonly profile: string; readonly owner?: LockOwner};

type DraftRecord = SavedDrafts & {
	readonly id: string;
	readonly folder: string;
	readonly profile: string;
	readonly savedAt: number;
	/** The process that may change the record; undefined once it was released. */
	readonly owner?: LockOwner | undefined;
};

const maxStashed = 10;
const maxDraftBytes = 64 * 1024;
/** Less than the most that is read from a file. */
const maxFileBytes = 6 * 1024 * 1024;

/**
 * Opens the drafts in the file at `path`, in the state folder; it need not exist, and a damaged one counts as empty. A draft
 * over 64 KB is not saved, nor are more than ten stashed ones. All methods throw AppError("failed") and AppError("conflict").
 */
export function openDrafts(path: string, {folder, profile, owner = thisProcess()}: Place): Drafts {
	const file = openKeptFile<readonly DraftRecord[]>(path, {parse, print});
	const id = randomUUID();
	let saved: SavedDrafts = {stash: []};

	const isLeft = (record: DraftRecord) =>
		record.folder === folder &&
		record.profile === profile &&
		(!record.owner || isGone(record.owner, record.savedAt)) &&
		record.id !== id;
	const own = (drafts: SavedDrafts): DraftRecord[] =>
		isEmpty(drafts) ? [] : [{id, folder, profile, savedAt: Date.now(), owner, ...drafts}];

	return {
		async takeOver() {
			if (file.read().some(isLeft)) {
				await file.update(records => {
					saved = joined(records.filter(isLeft));
					return [...own(saved), ...records.filter(record => !isLeft(record))];
				});
			}

			return saved;
		},
		async save(drafts) {
			const next = bounded(drafts);
			if (JSON.stringify(next) !== JSON.stringify(saved)) {
				await file.update(records => [...own(next), ...records.filter(record => record.id !== id)]);
				saved = next;
			}
		},
		async release() {
			if (!isEmpty(saved)) {
				await file.update(records =>
					records.map(record => (record.id === id ? {...record, owner: undefined} : record)),
				);
			}
		},
	};
}

function isEmpty({draft, stash}: SavedDrafts): boolean {
	return !draft && stash.length === 0;
}

/** Joins what several processes left: the newest draft stays one, the others are stashed. */
function joined(records: readonly DraftRecord[]): SavedDrafts {
	const oldestFirst = records.toSorted((a, b) => (a.draft?.at ?? 0) - (b.draft?.at ?? 0));
	const drafts = oldestFirst.flatMap(({draft}) => draft ?? []);
	const others = drafts.slice(0, -1).map(({text}) => text);
	return bounded({draft: drafts.at(-1), stash: [...oldestFirst.flatMap(({stash}) => stash), ...others]});
}

function bounded({draft, stash}: SavedDrafts): SavedDrafts {
	return {
		...(draft && fits(draft.text) && {draft}),
		stash: stash.filter(fits).slice(-maxStashed),
	};
}

function fits(text: string): boolean {
	return text.trim() !== '' && Buffer.byteLength(text) <= maxDraftBytes;
}

/** Prints the newest records that the file has room for. */
function print(records: readonly DraftRecord[]): string {
	let bytes = 0;
	const lines = records
		.toSorted((a, b) => b.savedAt - a.savedAt)
		.map(record => JSON.stringify(record))
		.filter(line => {
			bytes += Buffer.byteLength(line) + 2;
			return bytes < maxFileBytes;
		});
	return `{"drafts":[${lines.join(',\n')}]}\n`;
}

function parse(text: string | undefined): readonly DraftRecord[] {
	const data = parseJson(text ?? '');
	return isJsonObject(data) && Array.isArray(data['drafts']) ? data['drafts'].flatMap(parseRecord) : [];
}

function parseRecord(value: Json): readonly DraftRecord[] {
	if (!isJsonObject(value)) {
		return [];
	}

	const {id, folder, profile, savedAt, owner, draft, stash} = value;
	const isKnown = typeof id === 'string' && typeof folder === 'string' && typeof profile === 'string';
	if (!isKnown || !isTime(savedAt)) {
		return [];
	}

	const texts = (Array.isArray(stash) ? stash : []).filter(each => typeof each === 'string');
	const read = bounded({draft: parseDraft(draft), stash: texts});
	return isEmpty(read) ? [] : [{id, folder, profile, savedAt, owner: ownerIn(owner), ...read}];
}

function parseDraft(value: Json | undefined): SavedDraft | undefined {
	const {text, at} = isJsonObject(value) ? value : {};
	return typeof text === 'string' && isTime(at) ? {text, at} : undefined;
}

/** True for milliseconds since the epoch that a clock may have shown, if it was less than a day ahead. */
function isTime(value: Json | undefined): value is number {
	return typeof value === 'number' && value >= 0 && value < Date.now() + 24 * 60 * 60 * 1000;
}

/** An owner that can't be read, or that no process can be, counts as none. */
function ownerIn(value: Json | undefined): LockOwner | undefined {
	const owner = parseOwner(value);
	return owner && Number.isInteger(owner.pid) && owner.pid > 0 ? owner : undefined;
}
