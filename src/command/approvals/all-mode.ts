/** What is asked when all mode is selected for the first time in a folder. */
export const allModeQuestion = 'Let the agent work without asking in this folder?';

/** Returns what all mode allows, for the user. */
export function aboutAll(folder: string) {
	return {
		title: 'All mode',
		facts: [
			['Folder', folder],
			['Without asking', 'edits of files here, and commands that a sandbox holds'],
			['Asks still', 'commands outside a sandbox or with the network, secret files'],
			['Until', 'this session ends; you are not asked here again'],
		] as const,
	};
}
