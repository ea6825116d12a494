import {realpath} from 'node:fs/promises';
import {isAbsolute, relative, sep} from 'node:path';
import type {Act} from '../../../core/session/approval.ts';
import {compileGlob} from '../../paths/glob.ts';
import {assertVisible, type Bounds, boundsOf, deniedBy, writeBoundsOf} from '../bounds.ts';
import type {Places} from '../protected-places.ts';
import {isSecretFile} from '../secret-files.ts';
import {type FileRules, fileRuleTools, namesSecrets, type Rule, ruleText, type Verdict} from './rule.ts';

type PathAct = Extract<Act, {path: string}>;
type EditAct = Exclude<PathAct, {kind: 'read-secret'}>;

/** Matches a file by its path relative to the working folder; a rule that denies by each of its names. */
export async function judgePath(act: PathAct, rules: FileRules, places: Places): Promise<Verdict> {
	const {kind, path} = act;
	const {folder: workspace} = rules;
	const reads = act.kind === 'read-secret';
	const denied = await deniedBy(rules, reads ? 'read' : 'edit');
	const denying = denied && (denied.by(path) ?? denied.by(await realpath(path).catch(() => path)));
	if (denying) {
		return {effect: 'deny', by: denying};
	}

	const tools: ReadonlyArray<Rule['tool']> = fileRuleTools[reads ? 'read' : 'edit'];
	const shown = relative(workspace, path).replaceAll(sep, '/');
	const isInside = shown !== '' && !isAbsolute(shown) && !/^\.\.(?:\/|$)/.test(shown);
	const bounds = await (reads ? boundsOf : writeBoundsOf)(workspace, places);
	const isSecret = kind !== 'edit' || isSecretFile(path);
	const outOfReach = isInside ? whyOutOfReach(path, bounds) : 'it is outside the working folder';
	const mayAllow = outOfReach === undefined;
	const orders = act.kind === 'read-secret' ? undefined : await ordersOf(act, shown, {workspace, places});
	const allowing = rules.entries.find(
		rule =>
			rule.effect === 'allow' &&
			tools.includes(rule.tool) &&
			matchesPath(rule, shown) &&
			(!isSecret || namesSecrets(rule)) &&
			(orders === undefined || namesPart(rule, orders)),
	);
	if (allowing && mayAllow) {
		return {effect: 'allow', by: [allowing]};
	}

	const isPlain = mayAllow && !/[*?{}\\]/.test(shown);
	const rule = {tool: fileRuleTools[reads ? 'read' : 'edit'][0], pattern: `./${shown}`, effect: 'allow'} as const;
	return {
		effect: 'ask',
		suggestions: isPlain ? [ruleText(rule)] : [],
		mayBeDenied: orders !== undefined,
		...(orders && {why: orders.why}),
		...(outOfReach && {outOfReach}),
	};
}

/** Which program obeys a file without being told to, as a clause, and the part of its path that says so. */
type Orders = {readonly why: string; readonly marked: string; readonly isStart: (name: string) => boolean};

/** Returns what else would run because of a change: it outlives every sandbox, so a person looks at it in every mode. */
async function ordersOf(
	{path, text}: EditAct,
	shown: string,
	place: {readonly workspace: string; readonly places: Places},
): Promise<Orders | undefined> {
	const {isGitHook, isRunByHook, wordsOfHooks} = await import('./git-hook.ts');
	if (await isGitHook(path, place)) {
		return {why: 'changes what git runs', marked: shown, isStart: () => false};
	}

	if (await isRunByHook(path, place)) {
		return {why: 'changes what your hook runs', marked: shown, isStart: () => false};
	}

	const {changesStart, selfStarting} = await import('../self-starting-files.ts');
	const found = selfStarting(shown);
	if (!found || (text && found.part && !changesStart(found, text, await wordsOfHooks(place)))) {
		return undefined;
	}

	const {program, when, marked} = found;
	return {
		why: `changes what ${program} runs ${when}`,
		marked,
		isStart: name => selfStarting(name) !== undefined,
	};
}

/**
 * True if a pattern names one of these files or folders, so that it can't be meant for others only: not `**`, `*.json` or
 * `src/**`, but `.github/**`, `package.json` and `*.code-workspace`.
 */
function namesPart({pattern = '**'}: Rule, {marked, isStart}: Orders): boolean {
	const names = marked.toLowerCase().split('/');
	const segments = pattern.toLowerCase().split('/');
	return segments.some(
		segment => names.some(compileGlob(segment)) && (!/[*?]/.test(segment) || isStart(segment.replaceAll('*', 'x'))),
	);
}

export function matchesPath({pattern}: Rule, shown: string): boolean {
	if (pattern === undefined) {
		return true;
	}

	// `./name` is the file in the working folder itself, `name` a file of that name in any folder.
	return (!pattern.startsWith('./') || pattern.includes('/', 2) || !shown.includes('/')) && compileGlob(pattern)(shown);
}

function whyOutOfReach(path: string, bounds: Bounds): string | undefined {
	try {
		assertVisible(path, path, bounds);
		return undefined;
	} catch {
		return 'it is protected';
	}
}
