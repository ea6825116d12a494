/** Settings that override those of a repository, so that none starts a program or makes git write. */
const overrides: ReadonlyArray<readonly [name: string, value: string]> = [
	['core.fsmonitor', 'false'],
	['core.untrackedCache', 'keep'],
	['log.showSignature', 'false'],
	['safe.bareRepository', 'explicit'],
	['submodule.recurse', 'false'],
];

/**
 * The environment for commands that run because they only read: git starts no monitor, no hook and no pager, refreshes no
 * index and fetches nothing. The checks don't rely on it; it is a second wall.
 */
export const readOnlyEnvironment: Readonly<Record<string, string>> = environmentWith([
	...overrides,
	['core.hooksPath', '/dev/null'],
]);

/** The environment of the checks: with the hooks of the repository, to see which it has. */
export const checkEnvironment = environmentWith(overrides);

/** Returns an environment in which git has one more setting. */
export function withGitSetting(
	environment: Readonly<Record<string, string>>,
	name: string,
	value: string,
): Readonly<Record<string, string>> {
	const count = Number(environment['GIT_CONFIG_COUNT'] ?? 0);
	return {
		...environment,
		GIT_CONFIG_COUNT: String(count + 1),
		[`GIT_CONFIG_KEY_${count}`]: name,
		[`GIT_CONFIG_VALUE_${count}`]: value,
	};
}

function environmentWith(settings: typeof overrides): Readonly<Record<string, string>> {
	return {
		GIT_OPTIONAL_LOCKS: '0',
		GIT_NO_LAZY_FETCH: '1',
		GIT_TERMINAL_PROMPT: '0',
		GIT_PAGER: 'cat',
		PAGER: 'cat',
		GIT_CONFIG_COUNT: String(settings.length),
		...Object.fromEntries(
			settings.flatMap(([name, value], index) => [
				[`GIT_CONFIG_KEY_${index}`, name],
				[`GIT_CONFIG_VALUE_${index}`, value],
			]),
		),
	};
}
