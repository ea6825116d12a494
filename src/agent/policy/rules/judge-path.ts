import {isAbsolute, relative, sep} from 'node:path';
import type {Act} from '../../../core/session/approval.ts';
import {assertVisible, boundsOf, writeBoundsOf} from '../../tools/files/bounds.ts';
import {compileGlob} from '../../tools/files/glob.ts';
import {isSecretFile} from '../secret-files.ts';
import type {Judging, RuleEntry, Verdict} from '../verdict.ts';
import type {Rule, RuleTool} from './rule.ts';

type PathAct = Extract<Act, {path: string}>;

/** Matches the real path of a file, relative to the working folder. */
export async function judgePath<Entry extends RuleEntry>(
	{kind, path}: PathAct,
	{workspace, places, rules}: Judging<Entry>,
): Promise<Verdict<Entry>> {
	const reads = kind === 'read-secret';
	const tools: readonly RuleTool[] = reads ? ['read_file'] : ['edit_file', 'write_file'];
	const shown = relative(workspace, path).replaceAll(sep, '/');
	const isInside = shown !== '' && !isAbsolute(shown) && !/^\.\.(?:\/|$)/.test(shown);
	const named = rules.filter(({rule}) => tools.includes(rule.tool));
	const denying = named.find(({rule, effect}) => effect === 'deny' && matchesPath(rule, shown.toLowerCase(), true));
	if (denying) {
		return {effect: 'deny', by: denying};
	}

	const bounds = await (reads ? boundsOf : writeBoundsOf)(workspace, places);
	const isSecret = kind !== 'edit' || isSecretFile(path);
	const mayAllow = isInside && isVisible(path, bounds);
	const allowing = named.find(
		({rule, effect}) => effect === 'allow' && matchesPath(rule, shown, false) && (!isSecret || namesSecrets(rule)),
	);
	if (allowing && mayAllow) {
		return {effect: 'allow', by: [allowing]};
	}

	const isPlain = mayAllow && !/[*?{}]/.test(shown);
	const suggested = isPlain ? [{tool: reads ? 'read_file' : 'edit_file', pattern: `./${shown}`} as const] : [];
	const isHook = !reads && (await (await import('./git-hook.ts')).isGitHook(path));
	return {effect: 'ask', suggested, mayBeDenied: isHook, ...(isHook && {why: 'changes what git runs'})};
}

function matchesPath({pattern}: Rule, shown: string, ignoresCase: boolean): boolean {
	if (pattern === undefined) {
		return true;
	}

	const glob = ignoresCase ? pattern.toLowerCase() : pattern;
	// `./name` is the file in the working folder itself, `name` a file of that name in any folder.
	return (!glob.startsWith('./') || glob.includes('/', 2) || !shown.includes('/')) && compileGlob(glob)(shown);
}

/** True if a pattern can only be meant for secret files: `.env`, `config/*.pem`, but not `**`. */
function namesSecrets({pattern}: Rule): boolean {
	return pattern !== undefined && isSecretFile(pattern);
}

function isVisible(path: string, bounds: Parameters<typeof assertVisible>[2]): boolean {
	try {
		assertVisible(path, path, bounds);
		return true;
	} catch {
		return false;
	}
}
