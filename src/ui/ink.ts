/** Everything that the screen takes from Ink, so that the next major version of it is a change of one file. */
export {Box, render, Text, useCursor, useStdout} from 'ink';
export {default as TextInput} from 'ink-text-input';
