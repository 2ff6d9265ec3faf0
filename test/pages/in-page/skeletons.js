/** What stands around a module's region in each page, as a browser understands it. */
((pages) =>
  pages.map((html) => {
    const shown = new DOMParser().parseFromString(html, 'text/html')
    const regions = shown.querySelectorAll('.host-content')
    regions[0]?.replaceChildren()
    return regions.length === 1 ? shown.documentElement.outerHTML : 'not one region'
  }))
