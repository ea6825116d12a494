import {posix, relative, sep} from 'node:path';
import type {Act} from '../../../core/session/approval.ts';
import {boundsOf} from '../../tools/files/bounds.ts';
import {allowsCommand, suggestRule} from '../rules/match-command.ts';
import type {Rule} from '../rules/rule.ts';
import type {Judging, RuleEntry, Verdict} from '../verdict.ts';
import {findDenying} from './find-denying.ts';
import {whyNotNamed} from './named-places.ts';
import {parseCommand, type SimpleCommand} from './parse-command.ts';
import {physicalPath, whyNotPath} from './paths.ts';
import {type Place, whyNotReadOnly} from './read-only.ts';
import {coverOfFiles} from './written-files.ts';

type CommandAct = Extract<Act, {kind: 'command'}>;

/** What is decided about one simple command. */
type Decided<Entry> =
	| {readonly by: 'read-only' | readonly Entry[]; readonly isLoose: boolean}
	| {readonly denying: Entry}
	| {readonly why: string | undefined; readonly suggested: readonly Rule[] | undefined};

/** Decides about a shell command. It is allowed only if each simple command in it only reads or is covered by a rule. */
export async function judgeCommand<Entry extends RuleEntry>(
	act: CommandAct,
	judging: Judging<Entry>,
): Promise<Verdict<Entry>> {
	const {denying, mayBeDenied} = findDenying(act.command, judging.rules);
	if (denying) {
		return {effect: 'deny', by: denying};
	}

	const ask = (why: string | undefined, suggested: readonly Rule[] = []): Verdict<Entry> => {
		return {effect: 'ask', ...(why && {why}), suggested, mayBeDenied};
	};
	if (act.widened) {
		// A rule allows a command, not that it leaves the sandbox.
		return ask(undefined);
	}

	const parsed = parseCommand(act.command);
	if ('why' in parsed) {
		return ask(parsed.why);
	}

	const bounds = await boundsOf(judging.workspace, judging.places);
	const decided: Decided<Entry>[] = [];
	let place: Place = {folder: act.folder, bounds};
	for (const command of parsed.commands) {
		const moved = await changedFolder(command, place);
		if (typeof moved === 'string') {
			return ask(moved);
		}

		place = moved ?? place;
		decided.push(moved ? {by: 'read-only', isLoose: false} : await decide(command, place, judging));
	}

	const denied = decided.find(each => 'denying' in each);
	if (denied) {
		return {effect: 'deny', by: denied.denying};
	}

	const open = decided.flatMap(each => ('why' in each ? [each] : []));
	if (open.length > 0 || mayBeDenied) {
		const rules = open.map(({suggested}) => suggested);
		const why = open.find(each => each.why)?.why;
		return ask(why, rules.every(each => each !== undefined) ? rules.flat() : []);
	}

	const entries = [...new Set(decided.flatMap(each => ('by' in each && each.by !== 'read-only' ? each.by : [])))];
	if (entries.length === 0) {
		return {effect: 'allow', by: 'read-only'};
	}

	// What a rule lets run may create a file named like an option before such a pattern is read.
	return decided.some(each => 'by' in each && each.isLoose)
		? ask('has a pattern that may match new files')
		: {effect: 'allow', by: entries};
}

/** Returns the place after `cd`, undefined for another command, or why it can't be followed. */
async function changedFolder(command: SimpleCommand, place: Place): Promise<Place | string | undefined> {
	const [name, target, ...others] = command.words;
	if (name.value !== 'cd') {
		return undefined;
	}

	const path = target?.value ?? '';
	const isPlain = path !== '' && !path.startsWith('-') && target?.pattern === undefined && others.length === 0;
	if (!command.inSequence || !isPlain || command.redirections.length > 0 || command.variables.length > 0) {
		return 'changes the folder in a way that is hard to follow';
	}

	const folder = await physicalPath(path, place.folder);
	// `cd` and the kernel take `..` after a link for different folders.
	if (folder === undefined || folder !== posix.resolve(place.folder, path)) {
		return 'changes the folder through a link';
	}

	return (await whyNotPath(path, 'content', place)) ? 'leaves the working folder' : {...place, folder};
}

async function decide<Entry extends RuleEntry>(
	command: SimpleCommand,
	place: Place,
	{rules, ...judging}: Judging<Entry>,
): Promise<Decided<Entry>> {
	const isLoose = command.words.some(({pattern}) => pattern !== undefined && /^[*?-]/.test(pattern));
	const why = await whyNotReadOnly(command, place);
	if (why === undefined) {
		return {by: 'read-only', isLoose};
	}

	const folder = relative(judging.workspace, place.folder).replaceAll(sep, '/') || '.';
	const entries = rules.filter(({rule, effect}) => effect === 'allow' && allowsCommand(rule, command, folder));
	const named = await Promise.all(
		entries.map(({rule}) => whyNotNamed(rule, command, {...judging, folder: place.folder})),
	);
	const entry = entries.find((_, index) => named[index] === undefined);
	const files = await coverOfFiles(command, place, {...judging, rules});
	if ('denying' in files) {
		return files;
	}

	if (entry && 'by' in files) {
		return {by: [entry, ...files.by], isLoose: false};
	}

	const [whyNot] = entry ? [] : named;
	const rule = entry ? [] : await suggestedRule(command, folder, {...judging, folder: place.folder});
	return {
		why: 'why' in files ? files.why : (whyNot ?? why),
		suggested: rule && !('why' in files) ? [rule].flat() : undefined,
	};
}

/** Returns the rule to suggest: one for all commands of this kind if that covers this one, else one for exactly this one. */
async function suggestedRule(
	command: SimpleCommand,
	folder: string,
	judging: Parameters<typeof whyNotNamed>[2],
): Promise<Rule | undefined> {
	const rule = suggestRule(command, folder);
	const isCovered = rule === undefined || (await whyNotNamed(rule, command, judging)) === undefined;
	return isCovered ? rule : suggestRule(command, folder, true);
}
