/**
 * Hints name commands in backticks and leave open how they are typed: `/keys set` in the app, `service keys set` in a
 * shell. This writes them for one place.
 */
export function nameCommands(hint: string, prefix: '/' | 'service '): string {
	return hint.replace(/`([a-z][^`]*)`/g, (_, words: string) => prefix + words);
}
