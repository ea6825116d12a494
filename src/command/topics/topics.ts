/** The pages of reference that `help <topic>` shows, in the order shown. A summary has no full stop. */
export const topics = [
	{name: 'environment', summary: 'Environment variables, models, and what is kept where'},
	{name: 'settings', summary: 'Settings, their values, and what sets them'},
	{name: 'exit-status', summary: 'Exit statuses, and answers for scripts'},
	{name: 'keys', summary: 'Keys in the app, and completion in your shell'},
	{name: 'access', summary: 'Screen readers, reduced motion, titles and notifications'},
	{name: 'prompt', summary: 'Mentions with @, commands with !, images, prompt files'},
	{name: 'hooks', summary: 'Instructions, hooks, deny rules, and folders you trust'},
	{name: 'mcp', summary: 'MCP servers: tools, resources, prompts, questions'},
	{name: 'agents', summary: 'OpenCode, Gemini and other agents on this screen'},
	{name: 'editors', summary: 'The agent in Zed, JetBrains, Neovim and other editors'},
	{name: 'hosts', summary: 'Sessions that keep running, attaching, and links to them'},
	{name: 'serve', summary: 'A server of your own: accounts, storage, security'},
	{name: 'operate', summary: 'Operating a server: deploy, watch, back up, upgrade'},
	{name: 'tasks', summary: 'Sandboxes, tasks of your own, watching their logs'},
	{name: 'traces', summary: 'Traces of runs, and the attributes that the server reads'},
	{name: 'operations', summary: 'Operations of the REST API'},
	{name: 'dependencies', summary: 'npm packages, and what each one is for'},
] as const;

export type Topic = (typeof topics)[number];

/** Returns the topic of that name. */
export function findTopic(name: string): Topic | undefined {
	return topics.find(topic => topic.name === name);
}
