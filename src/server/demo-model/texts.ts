/** Texts of the demo model. It never pretends to be more than it is. */

export const label = '**Demo model, no AI.**';

const realModel = 'For a real model: `/keys set <provider>` with a key of your own, or `/login` to a server.';

const hello = `Hello. ${label} I am a short script that shows how this program works: I answer in Markdown, think aloud and \
call tools.

Try \`list the files\`, \`search for export\` or \`read README.md\`, or \`help\` for more.

${realModel}
`;

const help = `${label} What you can try with me:

| Type | What you see |
| --- | --- |
| \`list the files\` | a tool call and a table |
| \`read README.md\` | a tool call and a code block |
| \`search for export\` | a tool call and a list |
| \`list the files and read README.md\` | two tools at the same time |
| \`fix the typo in README.md\` | a change, and the question whether to write it |
| \`fix the failing test\` | a bug found, fixed and tested, with your approval |
| \`what does the log of <environment id> say\` | the log of a sandbox, as the agent reads it |
| \`a table\`, \`some code\`, \`a long answer\` | how answers are drawn |

What the program can do:

- \`/keys set <provider>\` saves a provider’s API key; then a real model answers.
- \`/login\` connects to a server; \`/connect <url>\` chooses another one.
- \`/model\` picks the model, \`/usage\` shows what the session has used.
- **Ctrl+C** interrupts me. You can type while I answer; your message is sent next.
- \`\\\` and then **Enter** starts a new line.
`;

const table = `${label} A table:

| Provider | Key | Sample model |
| --- | :-: | --- |
| anthropic | \`ANTHROPIC_API_KEY\` | claude |
| openai | \`OPENAI_API_KEY\` | gpt |
| google | \`GOOGLE_API_KEY\` | gemini |
| mistral | \`MISTRAL_API_KEY\` | mistral |
| groq | \`GROQ_API_KEY\` | an open model |

Each column is as wide as its content.
`;

const code = `${label} Some code:

\`\`\`ts
/** Greets someone politely. */
export function greet(name: string): string {
	const hour = new Date().getHours();
	return \`Good \${hour < 12 ? 'morning' : 'evening'}, \${name}.\`;
}
\`\`\`

And the same in one line of shell:

\`\`\`sh
echo "Good evening, $USER."
\`\`\`
`;

const topics = ['Events', 'Tools', 'The screen', 'Sessions', 'Usage', 'Safety', 'Servers', 'Keys', 'Models', 'Tests'];

const long = `${label} A long answer, to see how the screen copes with one. **Ctrl+C** ends it.

${topics
	.map(
		(topic, index) => `## ${index + 1}. ${topic}

This paragraph about ${topic.toLowerCase()} says nothing new on purpose: it is here to be **drawn**, *wrapped* and scrolled. Its lines are \
as long as those of a usual answer, with \`some code\` in between.

- a first point about ${topic.toLowerCase()}
- a second one, that has a part below it
  - which is indented
- and a last one

\`\`\`ts
const topic${index + 1} = ${JSON.stringify(topic)};
\`\`\`
`,
	)
	.join('\n')}
That was all.
`;

const thanks = `You are welcome. ${label} ${realModel}\n`;

const other = `${label} I don’t understand this one. I know only a few sentences, such as *fix the failing test*, *list the files*, \
*search for …*, *read …* and *a table*. Type *help* to see them all.

${realModel}
`;

const noTools = `${label} That needs a tool, and this client offered me none that can do it.\n`;

/** The texts by intent. */
export const texts = {hello, help, table, code, long, thanks, other, noTools} as const;
