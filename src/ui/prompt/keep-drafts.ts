import {setTimeout as sleep} from 'node:timers/promises';
import type {Program} from '../../command/program.ts';
import {promptToKeep} from '../../command/secret-line.ts';
import type {Drafts, SavedDraft, SavedDrafts} from '../../config/drafts.ts';
import {formatAge} from '../../core/format.ts';
import {type StashedDraft, setComposerText} from '../../editor/editor.ts';
import {type ComposerState, emptyComposer} from '../../editor/editor-state.ts';
import {unfolded} from '../../editor/folds.ts';
import type {AppStore} from '../../store/store.ts';

type Dependencies = {
	readonly store: AppStore;
	readonly program: Program;
	/** True if a message is sent at the start: drafts of an earlier app are then stashed. */
	readonly hasPrompt?: boolean | undefined;
	/** How long after the last change drafts are saved. */
	readonly delayMs?: number | undefined;
};

const settleTimeoutMs = 1000;

/**
 * Brings back the drafts that the last app in this folder ended with, and saves those of this one: a second after the last
 * change, and at once when one was sent, cleared or stashed. A convenience: it never throws. Returns a function that saves
 * the last changes.
 */
export function keepDrafts(dependencies: Dependencies): () => Promise<void> {
	const following = followDrafts(dependencies).catch(() => undefined);
	return async () => {
		const settled = following.then(stop => stop?.()).catch(() => undefined);
		await Promise.race([settled, sleep(settleTimeoutMs, undefined, {ref: false})]);
	};
}

/** Does the same, but resolves once the drafts are back, and throws what `Drafts` throws. */
export async function followDrafts({
	store,
	program,
	hasPrompt = false,
	delayMs = 1000,
}: Dependencies): Promise<() => Promise<void>> {
	const drafts = await program.prompts.openDrafts();
	const found = await drafts.takeOver();
	restore(found, store, hasPrompt);
	let at = found.draft?.at ?? Date.now();
	let timer: NodeJS.Timeout | undefined;
	let saving: Promise<void> = Promise.resolve();

	const save = () => {
		clearTimeout(timer);
		saving = saving.then(() => saveNow(drafts, {store, program, at})).catch(() => undefined);
		return saving;
	};
	const saveLater = () => {
		clearTimeout(timer);
		timer = setTimeout(save, delayMs).unref();
	};
	// What was typed while the app started, and what was found.
	saveLater();
	const unsubscribe = store.subscribe(({composer, stash}, before) => {
		if (stash !== before.stash || (composer !== before.composer && composer.text !== before.composer.text)) {
			at = Date.now();
			(stash !== before.stash || composer.text === '' ? save : saveLater)();
		}
	});

	return async () => {
		unsubscribe();
		await save();
		await drafts.release();
	};
}

/** Puts the draft into the empty prompt; stashes it if the prompt is used already. */
function restore({draft, stash: texts}: SavedDrafts, store: AppStore, hasPrompt: boolean): void {
	const {composer, stash, setStash, editPrompt} = store.getState();
	const isFree = composer.text === '' && !hasPrompt;
	const stashed = [...texts, ...(draft && !isFree ? [draft.text] : [])];
	if (stashed.length > 0) {
		setStash([...stashed.map(stashedOf), ...stash]);
	}

	if (draft && isFree) {
		editPrompt({composer: setComposerText(composer, draft.text), completion: -1, toast: noticeOf(draft)});
	}
}

function noticeOf({at}: SavedDraft): string {
	const age = Date.now() - at < 60_000 ? '' : ` of ${formatAge(new Date(at).toISOString())}`;
	return `Your draft${age} is back.`;
}

function stashedOf(draft: string): StashedDraft {
	const {text, caret, folds} = setComposerText(emptyComposer, draft);
	return {text, caret, folds};
}

type Saving = Pick<Dependencies, 'store' | 'program'> & {readonly at: number};

async function saveNow(drafts: Drafts, {store, program, at}: Saving): Promise<void> {
	const {composer, stash, offered} = store.getState();
	const draft = textOf(composer);
	// The user didn't write it, and its sandbox may end with the app.
	const own = draft === offered?.text ? '' : draft;
	const [text = '', ...texts] = await Promise.all(
		[own, ...stash.map(each => unfolded(each.text, each.folds, 'text'))].map(each => withoutSecrets(each, program)),
	);
	await drafts.save({...(text && {draft: {text, at}}), stash: texts.filter(Boolean)});
}

/** Returns the new prompt, also while an unchanged entry of the history is shown. */
function textOf({text, folds, position, history, drafts}: ComposerState): string {
	return unfolded(text === history[position] ? (drafts.get(history.length)?.text ?? '') : text, folds, 'text');
}

/** Returns a text that has no credential; '' for any other (SAFETY 11). */
async function withoutSecrets(
	text: string,
	{commands: {all: entries}, local: {secrets}}: Dependencies['program'],
): Promise<string> {
	const isPlain = text.trim() !== '' && promptToKeep(entries(), text) === text.trim() && !(await secrets.find(text));
	return isPlain ? text : '';
}
