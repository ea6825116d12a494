/** Flags that choose a server, a login and a scope. */
export type ServerFlags = {
	/** Plain http beyond this machine is allowed (SAFETY 9). */
	readonly insecureHttp: boolean;
	readonly server: string | undefined;
	readonly profile: string | undefined;
	readonly org: string | undefined;
	readonly workspace: string | undefined;
	readonly project: string | undefined;
};
