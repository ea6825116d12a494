import {realpath} from 'node:fs/promises';
import {posix, relative, sep} from 'node:path';
import type {Act} from '../../../core/session/approval.ts';
import {boundsOf, deniedBy} from '../bounds.ts';
import type {Places} from '../protected-places.ts';
import {judgePath} from '../rules/judge-path.ts';
import {beginningOf} from '../rules/match-command.ts';
import {type FileRules, fileRuleTools, type Rule, ruleText, type Verdict} from '../rules/rule.ts';
import {findDenying} from './find-denying.ts';
import {namedFiles, namedSecrets} from './named-files.ts';
import {parseCommand, type SimpleCommand} from './parse-command.ts';
import {physicalPath, whyNotPath} from './paths.ts';
import {type PathPlace, whyNotReadOnly} from './read-only.ts';
import {suggestRule, whyNever, whyNotCovered} from './rule-cover.ts';

type CommandAct = Extract<Act, {kind: 'command'}>;

/** What is decided about one simple command. */
type Decided =
	| {readonly by: 'read-only' | readonly Rule[]; readonly isLoose: boolean}
	| {readonly denying: Rule}
	| {
			readonly why: string | undefined;
			/** The rule that would allow it, none if it lacks only rules for files; undefined if no rule can. */
			readonly suggested: readonly Rule[] | undefined;
			readonly isCoveredBy: (rule: Rule) => Promise<boolean>;
	  };

/**
 * Decides about a shell command. It is allowed only if each simple command in it only reads or is covered by a rule. A person
 * looks in every mode if it names a secret file, and if nothing could keep it from a file that rules deny.
 */
export async function judgeCommand(act: CommandAct, rules: FileRules, places: Places): Promise<Verdict> {
	const verdict = await judgeText(act, rules, places);
	const {folder: workspace, entries} = rules;
	if (verdict.effect === 'deny') {
		return verdict;
	}

	const denied = await deniedBy(rules, 'read');
	const named = denied ? await namedFiles(act.command, act.folder) : [];
	const paths = await Promise.all(named.map(async path => [path, await realpath(path).catch(() => path)]));
	const denying = paths.flat().flatMap(path => denied?.by(path) ?? [])[0];
	if (denying) {
		return {effect: 'deny', by: denying};
	}

	if (verdict.effect === 'allow' && verdict.by === 'read-only') {
		return verdict;
	}

	const suggestions = verdict.effect === 'ask' && !act.widened ? verdict.suggestions : [];
	const secrets = act.reveals ?? (await namedSecrets(act.command, act.folder, rules));
	if (secrets.length > 0) {
		const reveals = secrets.map(path => relative(workspace, path).replaceAll(sep, '/'));
		// No rule covers a file outside of the working folder.
		const coverable = reveals.filter(path => !/[*?{}\\]|^\.\.\//.test(path));
		return {
			effect: 'ask',
			reveals,
			mayBeDenied: true,
			why: (verdict.effect === 'ask' && verdict.why) || `could show ${reveals.join(', ')} to the model`,
			suggestions:
				coverable.length === reveals.length ? [...suggestions, ...coverable.map(path => `read_file(./${path})`)] : [],
		};
	}

	if (act.isUnsearched) {
		const why = 'runs in a folder with too many files to hide the secret ones';
		return {effect: 'ask', why, suggestions: [], mayBeDenied: true};
	}

	const denies = (tools: ReadonlyArray<Rule['tool']>) =>
		act.containment === 'none' && entries.some(({tool, effect}) => effect === 'deny' && tools.includes(tool));
	if (denies(fileRuleTools.read)) {
		return {
			effect: 'ask',
			why: 'could read what a rule denies: no sandbox holds it',
			suggestions: [],
			mayBeDenied: true,
		};
	}

	return verdict.effect === 'ask' && denies(fileRuleTools.edit)
		? {why: 'could change what a rule denies: no sandbox holds it', ...verdict, mayBeDenied: true}
		: verdict;
}

/** Decides about the text of a command. */
async function judgeText(act: CommandAct, rules: FileRules, places: Places): Promise<Verdict> {
	const {denying, mayBeDenied} = findDenying(act.command, rules.entries);
	if (denying) {
		return {effect: 'deny', by: denying};
	}

	const ask = (why: string | undefined, suggestions: readonly string[] = []): Verdict => {
		return {effect: 'ask', ...(why && {why}), suggestions, mayBeDenied};
	};
	if (act.widened) {
		// A rule allows a command, not that it leaves the sandbox.
		return ask(undefined);
	}

	const parsed = parseCommand(act.command);
	if ('why' in parsed) {
		return ask(parsed.why);
	}

	const bounds = await boundsOf(rules.folder, places);
	const decided: Decided[] = [];
	let place: PathPlace = {folder: act.folder, bounds};
	for (const command of parsed.commands) {
		const moved = await changedFolder(command, place);
		if (typeof moved === 'string') {
			return ask(moved);
		}

		place = moved ?? place;
		decided.push(moved ? {by: 'read-only', isLoose: false} : await decide(command, place, rules, places));
	}

	const denied = decided.find(each => 'denying' in each);
	if (denied) {
		return {effect: 'deny', by: denied.denying};
	}

	const open = decided.flatMap(each => ('why' in each ? [each] : []));
	if (open.length > 0 || mayBeDenied) {
		return ask(open.find(each => each.why)?.why, await mergedRules(open));
	}

	const entries = [...new Set(decided.flatMap(each => ('by' in each && each.by !== 'read-only' ? each.by : [])))];
	if (entries.length === 0) {
		return {effect: 'allow', by: 'read-only'};
	}

	// What a rule lets run may create a file named like an option before another command reads such a pattern.
	const loose = decided.filter(each => 'by' in each && each.isLoose);
	const ruled = decided.filter(each => 'by' in each && each.by !== 'read-only');
	return loose.some(each => ruled.some(other => other !== each))
		? ask('has a pattern that may match new files')
		: {effect: 'allow', by: entries};
}

/** Returns the place after `cd`, undefined for another command, or why it can't be followed. */
async function changedFolder(command: SimpleCommand, place: PathPlace): Promise<PathPlace | string | undefined> {
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

async function decide(command: SimpleCommand, place: PathPlace, rules: FileRules, places: Places): Promise<Decided> {
	const isLoose = command.words.some(({pattern}) => pattern !== undefined && /^[*?-]/.test(pattern));
	const why = await whyNotReadOnly(command, place);
	if (why === undefined) {
		return {by: 'read-only', isLoose};
	}

	const {folder: workspace, entries} = rules;
	const folder = relative(workspace, place.folder).replaceAll(sep, '/') || '.';
	const where = {workspace, places, folder: place.folder};
	const whyNotBy = async (rule: Rule) => {
		const beginning = beginningOf(rule, command, folder);
		return beginning ? {why: await whyNotCovered(rule, command, beginning, where)} : undefined;
	};
	const candidates = await Promise.all(
		entries.filter(({effect}) => effect === 'allow').map(async rule => ({rule, covers: await whyNotBy(rule)})),
	);
	const begun = candidates.flatMap(({rule, covers}) => (covers ? [{rule, why: covers.why}] : []));
	const covering = begun.find(each => each.why === undefined)?.rule;
	const files = await coverOfFiles(command, place, rules, places);
	if ('denying' in files) {
		return files;
	}

	if (covering && 'by' in files) {
		return {by: [covering, ...files.by], isLoose};
	}

	const rule = covering ? [] : await suggestRule(command, folder, where);
	return {
		why: 'why' in files ? files.why : ((covering ? undefined : begun[0]?.why) ?? whyNever(command) ?? why),
		suggested: rule && !('why' in files) ? [rule].flat() : undefined,
		isCoveredBy: async suggested => {
			const said = await whyNotBy(suggested);
			return said !== undefined && said.why === undefined;
		},
	};
}

type Open = Extract<Decided, {readonly suggested: unknown}>;

/** Returns the fewest of the suggested rules that together cover all commands; none if a command has none. */
async function mergedRules(open: readonly Open[]): Promise<readonly string[]> {
	if (open.some(({suggested}) => suggested === undefined)) {
		return [];
	}

	const merged = new Map(open.flatMap(({suggested = []}) => suggested.map(rule => [ruleText(rule), rule] as const)));
	for (const text of [...merged.keys()]) {
		const holders = open.filter(({suggested = []}) => suggested.some(rule => ruleText(rule) === text));
		const others = [...merged].flatMap(([other, rule]) => (other === text ? [] : [rule]));
		const absorbed = holders.map(async ({isCoveredBy}) => (await Promise.all(others.map(isCoveredBy))).some(Boolean));
		if ((await Promise.all(absorbed)).every(Boolean)) {
			merged.delete(text);
		}
	}

	return [...merged.keys()];
}

type Written = {readonly by: readonly Rule[]} | {readonly why: string} | {readonly denying: Rule};

/**
 * Returns the rules that cover the files of a command's redirections, the rule that denies one, or why one isn't covered.
 * A file to write needs a rule for edits; a file to read must be one that the model may see.
 */
async function coverOfFiles(
	{redirections}: SimpleCommand,
	place: PathPlace,
	rules: FileRules,
	places: Places,
): Promise<Written> {
	const by: Rule[] = [];
	for (const {operator, target} of redirections) {
		if (target.pattern !== undefined) {
			return {why: 'redirects to a pattern'};
		}

		if (operator === '<') {
			const why = await whyNotPath(target.value, 'content', place);
			if (why !== undefined) {
				return {why};
			}

			continue;
		}

		const path = await physicalPath(target.value, place.folder);
		const verdict = path === undefined ? undefined : await judgePath({kind: 'edit', path}, rules, places);
		if (verdict?.effect === 'deny' && verdict.by !== 'mode') {
			return {denying: verdict.by};
		}

		if (verdict?.effect !== 'allow' || typeof verdict.by === 'string') {
			return {why: 'writes to a file'};
		}

		by.push(...verdict.by);
	}

	return {by};
}
