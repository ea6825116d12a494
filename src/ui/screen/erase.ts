/**
 * Erases from the start of the cursor's row to the end of the window. Not at once: tmux takes an erasure from the top left
 * corner for a cleared screen, and moves what it showed to its scrollback.
 */
export const eraseDown = '\r\u001B[K\u001B[C\u001B[J\r';
