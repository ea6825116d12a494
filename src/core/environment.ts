/** Environment variables as a process has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the variables that are set, of those that `isKept` keeps; all without it. */
export function setVariables(env: Environment, isKept: (name: string) => boolean = () => true): Record<string, string> {
	return Object.fromEntries(
		Object.entries(env).flatMap(([name, value]) =>
			value !== undefined && isKept(name) ? [[name, value] as const] : [],
		),
	);
}
