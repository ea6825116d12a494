/** Returns a warning about what ends with the app: the sandboxes of its own server. Returns '' if there are none. */
export function endsWithApp(ownSandboxes: number): string {
	const sandboxes = ownSandboxes === 1 ? '1 running sandbox' : `${ownSandboxes} running sandboxes`;
	return ownSandboxes === 0 ? '' : `${sandboxes} will end with the app.`;
}
