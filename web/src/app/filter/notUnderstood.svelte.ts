// The words of the last typed filter that are no condition. They are shown until the
// user removes them, searches notes for them, or goes to another screen.

class NotUnderstood {
  words = $state<string[]>([]);

  remove(words: string): void {
    this.words = this.words.filter((other) => other !== words);
  }
}

export const notUnderstood = new NotUnderstood();
