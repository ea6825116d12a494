/** Whose file an MCP server is in: the user's own for this project or for all of them, or the project's. */
export type McpScope = (typeof mcpScopes)[number];

export const mcpScopes = ['local', 'user', 'project'] as const;
