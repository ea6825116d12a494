// Cleans up after the commands of a program that was killed: its only argument is the folder with their notes.
import {setTimeout as sleep} from 'node:timers/promises';
import {cleanLeftBehind} from './left-behind.ts';

/** The sandboxes end with the program, but not before the kernel gets to it. */
const delayMs = 500;

const [, , folder] = process.argv;
if (folder !== undefined) {
	await cleanLeftBehind(folder);
	await sleep(delayMs);
	await cleanLeftBehind(folder);
}
