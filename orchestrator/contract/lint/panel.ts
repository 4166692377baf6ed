/** How many seats a panel can have: an odd number, since votes must not tie, and no more than Terms can say (uint8). */
export const isPanelSize = (size: number): boolean => size >= 3 && size <= 255 && size % 2 === 1
