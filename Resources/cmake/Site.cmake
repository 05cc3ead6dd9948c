# The site of all documents, with the reference of earshot.h where Doxygen is installed:
# cmake --build build/release --target site
find_program(EARSHOT_SPHINX sphinx-build)
mark_as_advanced(EARSHOT_SPHINX)
if(NOT EARSHOT_SPHINX)
    add_custom_target(site COMMAND ${CMAKE_COMMAND} -E echo
        "The site needs Sphinx: install python3-sphinx, python3-myst-parser and furo, and configure again"
        COMMAND ${CMAKE_COMMAND} -E false VERBATIM)
    return()
endif()
set(sphinx ${CMAKE_COMMAND} -E env EARSHOT_VERSION=${PROJECT_VERSION} EARSHOT_REFERENCE=$<TARGET_EXISTS:reference>
    ${EARSHOT_SPHINX} -q -c ${PROJECT_SOURCE_DIR}/Resources/site -b html)
add_custom_target(site
    COMMAND ${sphinx} -d ${CMAKE_BINARY_DIR}/site-cache ${PROJECT_SOURCE_DIR} ${CMAKE_BINARY_DIR}/site
    COMMAND ${CMAKE_COMMAND} -E echo "${CMAKE_BINARY_DIR}/site/index.html" VERBATIM)
if(TARGET reference)
    add_dependencies(site reference)
    add_custom_command(TARGET site POST_BUILD COMMAND ${CMAKE_COMMAND} -E copy_directory
        ${CMAKE_BINARY_DIR}/reference ${CMAKE_BINARY_DIR}/site/reference)
endif()
if(EARSHOT_TESTS AND NOT EARSHOT_SANITIZE)
    # A link that leads nowhere is a warning, and here an error.
    add_test(NAME "documents: the site has no broken link"
        COMMAND ${sphinx} -W --keep-going -d ${CMAKE_BINARY_DIR}/Testing/site-cache ${PROJECT_SOURCE_DIR}
            ${CMAKE_BINARY_DIR}/Testing/site)
endif()
