/** In a page: the text of the first element that `selector` finds, character by character from left to right as it is seen. */
(function asSeen(selector) {
  const nodes = document.createTreeWalker(document.querySelector(selector), NodeFilter.SHOW_TEXT)
  const seen = []
  while (nodes.nextNode()) {
    const { data } = nodes.currentNode
    for (let index = 0; index < data.length; index++) {
      const range = document.createRange()
      range.setStart(nodes.currentNode, index)
      range.setEnd(nodes.currentNode, index + 1)
      seen.push({ character: data[index], left: range.getBoundingClientRect().left })
    }
  }
  return seen
    .sort((one, other) => one.left - other.left)
    .map(({ character }) => character)
    .join('')
})
