/** What quitting ends: sandboxes of the app's own server, which nobody will know of afterwards. '' for nothing. */
export function endsWithApp(ownSandboxes: number): string {
	const them = ownSandboxes === 1 ? '1 running sandbox' : `${ownSandboxes} running sandboxes`;
	return ownSandboxes === 0 ? '' : `${them} will end with the app.`;
}
