import type {screenDrives} from './screen-drives.ts';
import type {shellDrives} from './shell-drives.ts';

type Drive = keyof typeof screenDrives | keyof typeof shellDrives;

/** Texts of the program's own alone. */
type OwnText = {readonly own: string};

/** For each place in the source where text reaches the terminal, the hostile input that a test brings there. */
export const coveredSinks: Readonly<Record<string, readonly Drive[] | OwnText>> = {
	'src/ui/app.tsx App <Lines>': ['queue', 'steps', 'suggestion'],
	'src/ui/app.tsx App <Text>': ['toast'],
	'src/ui/app.tsx LogPanel <Lines>': ['log panel'],
	'src/ui/composer.tsx Composer setPrompt': ['prompt'],
	'src/ui/lines.tsx Lines <Text>': ['lines', 'queue', 'picker'],
	'src/ui/status-line.tsx StatusLine <Text>': ['connection and model', 'not saved', 'command that runs'],
	'src/ui/panels/ask-panel.tsx AskView <Lines>': ['question of the agent'],
	'src/ui/panels/device-panel.tsx DevicePanel <Lines>': ['login'],
	'src/ui/panels/edit-panel.tsx EditView <Lines>': ['editor'],
	'src/ui/panels/panel-view.tsx Confirm <Lines>': ['question'],
	'src/ui/panels/panel-view.tsx Field <Text>': ['field'],
	'src/ui/panels/panel-view.tsx Field <TextInput>': {
		own: 'what the user types, from the tokenizer, which drops controls',
	},
	'src/ui/panels/panel-view.tsx Window <Lines>': ['lines'],
	'src/ui/panels/picker.tsx Picker <Lines>': ['picker'],
	'src/ui/panels/table-view.tsx TableView <Lines>': ['table'],
	'src/ui/panels/table-view.tsx TableView <Text>': ['table'],
	'src/ui/panels/table-view.tsx TableView <TextInput>': {
		own: 'what the user types, from the tokenizer, which drops controls',
	},
	'src/ui/opening/greet.ts greet painter.print': ['welcome'],
	'src/ui/open-conversation.ts openConversation painter.print': ['warning', 'log panel'],
	'src/ui/result-view.ts browse painter.print': ['table that opens'],
	'src/ui/result-view.ts createResultView painter.print': ['error of a command'],
	'src/ui/result-view.ts showResult painter.print': ['result of a command'],
	'src/ui/submit.ts forkIfEditing painter.print': {own: 'the first letters of an id that the program made'},
	'src/ui/submit.ts runCommand painter.print': {own: 'the name of a command, which was found in the list of commands'},
	'src/ui/screen/screen.ts createScreen output.write': [
		'prompt',
		'message',
		'answer',
		'answer that goes on',
		'call',
		'thought',
		'command',
		'JSON of a command',
		'trace of a command',
		'JSON in a log',
		'notice',
		'error of a host',
		'transcript view',
		'log viewer',
	],
	'src/ui/screen/frame-log.ts createFrameLog stdout.write': {own: 'what the screen writes, passed on'},
	'src/ui/screen/terminal-measure.ts createBackgroundQuestion stdout.write': {own: 'a constant'},
	'src/ui/screen/terminal-measure.ts measureTerminal stdout.write': {own: 'constants'},
	// The blocks of a session, drawn by the painter as on the screen.
	'src/ui/replay/start-replay.ts startReplay stdout.write': ['message', 'answer', 'thought', 'command', 'notice'],
	'src/ui/start.tsx startApp stdout.write': ['farewell'],
	'src/terminal/terminal-session.ts createTerminalSession stdout.write': [
		'title',
		'title of the window',
		'notification',
		'copied text',
	],
	'src/ui/line-terminal.ts createLineTerminal stdout.write': ['line mode'],
	'src/ui/linear.ts startLinear stdout.write': ['farewell'],
	'src/terminal/input/read-line.ts readTerminalLine output.write': ['typed line'],
	'src/headless/complete-shell.ts runCompletion stdout.write': ['completion'],
	'src/headless/print-stream.ts printStream stdout.write': ['stream'],
	'src/headless/print.ts printAnswer output.write': ['answer in a shell'],
	'src/headless/print.ts printJson output.write': ['JSON'],
	'src/headless/print.ts printResult output.write': ['result in a shell', 'JSON'],
	'src/headless/print.ts printWarning output.write': ['warning in a shell'],
	'src/headless/run-progress.ts createRunProgress output.write': ['progress'],
	'src/headless/terminal-questions.ts createTerminalQuestions stderr.write': ['question in a shell'],
	'src/headless/terminal-questions.ts terminalAnswers stderr.write': ['question in a shell'],
	'src/headless/wait-note.ts createWaitNote output.write': ['note'],
	'src/main.tsx  process.stdout.write': {own: 'constants before the first frame'},
	'src/main.tsx guarded process.stderr.write': {own: 'a code of the system'},
	"src/main.tsx main guarded('stdout').write": {own: 'the version'},
};
